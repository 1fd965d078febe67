import { redactSecrets } from '@app/domain/keys/secret-text';
import { InvalidInput } from '@app/domain/common/invalid-input';

/** One finding of a secret scanner. */
export interface LeakReport {
  token: string;
  /** What the scanner calls the form of the secret. */
  type: string;
  /** Where it was found; empty when the place is private. */
  url?: string | null;
  /** What it was found in: `commit`, `issue` … */
  source?: string | null;
}

/** What we say of a finding. The scanner learns nothing else. */
export interface LeakVerdict {
  token_raw: string;
  token_type: string;
  label: 'true_positive' | 'false_positive';
}

const MAX_REPORTS = 1_000;
const MAX_LENGTH = 200;

/**
 * The findings of a report, one for each entry of its list. What cannot be read of one is taken as empty: a token that is
 * not text is not one of our secrets, and must not keep the others from being disabled.
 *
 * @throws InvalidInput when it is not a list, or too long
 */
export function readReports(body: unknown): Required<LeakReport>[] {
  if (Array.isArray(body) && body.length <= MAX_REPORTS) return body.map(readReport);
  const input = Array.isArray(body) ? `, not ${body.length}` : '';
  const msg = `Input should be a list of at most ${MAX_REPORTS} findings${input}`;
  throw new InvalidInput([{ type: 'list_type', path: [], msg, input: null }]);
}

function readReport(finding: unknown): Required<LeakReport> {
  const { token, type, url, source } = Object(finding) as Record<string, unknown>;
  return { token: textOf(token), type: textOf(type), url: textOf(url), source: textOf(source) };
}

/** Where a secret was found, as the reason of an audit event. A secret in it is replaced before the text is cut. */
export function describePlace({ source, url }: LeakReport): string {
  const place = shorten(source || 'an unknown kind of place');
  return `Found in public by a secret scanner (${place})${url ? ` at ${shorten(url)}` : ''}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const shorten = (text: string): string => redactSecrets(text, '…').slice(0, MAX_LENGTH);
