import { plural, humanize } from '../components/number';
import { secondsText } from '../components/times-text';

export interface Hit {
  kind: string;
  id: string;
  name: string;
  detail: string | null;
  status: string | null;
  account: { id: string } | null;
  voice_id: string | null;
  credits: number | null;
  duration_ms: number | null;
  at: string;
}

const LINES: Record<string, string> = {
  charge: 'charged',
  hold: 'set aside',
  refund: 'refunded',
  release: 'no longer set aside',
};

export interface Outcome {
  text: string;
  at: string;
  to?: string;
}

/** What a request did, as far as it is recorded, in the order in which it happened. */
export const outcomesOf = (hits: readonly Hit[]): Outcome[] =>
  hits.flatMap((hit) => outcomeOf(hit) ?? []).toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));

function outcomeOf(hit: Hit): Outcome | null {
  const { kind, id, name, detail, status, credits, duration_ms, voice_id, account, at } = hit;
  if (kind === 'voice') return { text: 'Created a voice', at, to: `/voices/${voice_id}` };
  if (kind === 'preview') {
    return { text: `Designed the preview ${id}`, at, to: `/accounts/${account?.id}/voices?preview=${id}` };
  }
  if (kind !== 'request') return null;
  const what = credits === null ? '' : plural(Math.abs(credits), 'credit');
  // A line of the ledger has the name of an operation, not a route.
  if (credits !== null && !name.includes(' '))
    return { text: `${what} ${LINES[status ?? ''] ?? humanize(status ?? '')} for ${humanize(name)}`, at };
  const from = detail === null ? '' : `, from ${detail}`;
  const took = duration_ms === null ? '' : ` after ${secondsText(duration_ms / 1_000)}`;
  const cost = what && `, for ${what}`;
  return { text: `${name} was ${humanize(status ?? 'refused')}${took}${from}${cost}`, at };
}
