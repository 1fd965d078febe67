import { durationText } from '@app/domain/common/duration-text';
import { DAY_MS } from '@app/domain/common/utc-days';
import { usableCredits } from '@app/domain/credits/credits-left';
import type { RefusingGate } from '@app/domain/traffic/traffic';
import { api, type Schema } from '../api/client';
import { asQuery } from '../components/list-search';
import { plainName } from '../components/inline';
import { formatNumber, plural } from '../components/number';
import { accountsOf, ifAny, type Attention } from './waiting';
import { dayFromNow } from '../components/watch';

type ApiKey = Schema['ListedApiKeyResponse'];

export const EXPIRY_DAYS = 14;
const ROTATION_DAYS = 3;
/** Rotations are looked for among the keys that were used last. */
const KEYS = 200;
const HIGH_PERCENT = 90;
const NAMED = '50';
const SHOWN = 5;
const REFUSING_DAYS = 1;

/** Of an account manager's accounts, where they have any, suspended or not: the others are their managers' and the administrators'. */
async function ofManager(): Promise<Record<string, string>> {
  const query = { manager: 'me', limit: 1 } as const;
  const { total } = await api.GET('/admin/accounts', query);
  return total === 0 ? {} : { manager: 'me' };
}

/**
 * Keys that will soon stop working, or refuse requests, lists that go back, and presets that lists do not have as they are now.
 *
 * @param withExpiring account managers have those of their accounts beside this list
 */
export async function findKeys(withExpiring: boolean): Promise<Attention[]> {
  const own = withExpiring ? {} : await ofManager();
  const list = (query: Record<string, string>) => api.GET('/admin/api-keys', asQuery(query));
  const enabled = { ...own, status: 'enabled' };
  const soon = { status: 'enabled', expiring_before: dayFromNow(EXPIRY_DAYS), sort: 'expires_at' };
  const refused_since = dayFromNow(-REFUSING_DAYS);
  const refusedBy = (refused_by: RefusingGate) => ({ ...enabled, refused_by, refused_since });
  // Not sorted by the share: it has no index, and this is read again and again.
  const nearLimit = { ...enabled, min_credits_percent: String(HIGH_PERCENT) };
  const [expiring, offList, unpaid, short, used, timers, presets] = await Promise.all([
    withExpiring ? list({ ...soon, limit: NAMED }) : { total: 0, items: [] },
    list({ ...refusedBy('ip'), limit: NAMED }),
    list({ ...refusedBy('credits'), limit: NAMED }),
    list({ ...nearLimit, limit: NAMED }),
    list({ ...enabled, sort: '-last_used_at', limit: String(KEYS) }),
    findListTimers(own),
    findPresetTroubles(),
  ]);
  return [
    ...short.items
      .toSorted((a, b) => shareOf(b) - shareOf(a))
      .slice(0, SHOWN)
      .map(shortOfCredits),
    ...ifAny(Math.max(0, short.total - SHOWN), {
      text: `${plural(short.total, 'key')} in all have used ${HIGH_PERCENT} % of their credits`,
      isEarly: true,
      to: '/api-keys',
      search: { ...nearLimit, sort: '-credit_share' },
    }),
    ...used.items.filter(isEndingRotation).slice(0, SHOWN).map(endingRotation),
    ...ifAny(unpaid.total, {
      text: `${plural(unpaid.total, 'key was', 'keys were')} refused for credits since yesterday`,
      accounts: accountsOf(unpaid.items),
      detail: namesOf(unpaid),
      to: '/api-keys',
      search: refusedBy('credits'),
    }),
    ...ifAny(offList.total, {
      text: `${plural(offList.total, 'allow-list')} refused traffic since yesterday`,
      accounts: accountsOf(offList.items),
      detail: namesOf(offList),
      to: '/api-keys',
      search: refusedBy('ip'),
    }),
    ...timers,
    ...presets,
    ...ifAny(expiring.total, {
      text: `${plural(expiring.total, 'key expires', 'keys expire')} within ${EXPIRY_DAYS} days`,
      isEarly: true,
      accounts: accountsOf(expiring.items),
      to: '/api-keys',
      search: soon,
      verb: 'Extend…',
    }),
  ];
}

const isEndingRotation = ({ effective_status: status, old_secret_retires_at: at }: ApiKey) =>
  status === 'enabled' && at !== null && Date.parse(at) < Date.now() + ROTATION_DAYS * DAY_MS;

const usableOf = ({ credits: { limit, granted } }: ApiKey) =>
  usableCredits({ creditLimit: limit, granted }) ?? 0;
const shareOf = (key: ApiKey) => key.credits.used / Math.max(1, usableOf(key));

function shortOfCredits(key: ApiKey): Attention {
  const { id, name, account, credits } = key;
  return {
    text: `${shortName(name)} has used ${formatNumber(credits.used)} of ${formatNumber(usableOf(key))} credits`,
    isEarly: credits.remaining !== 0,
    accounts: [account],
    to: `/api-keys/${id}`,
  };
}

function endingRotation({ id, name, account }: ApiKey): Attention {
  return {
    text: `The old secret of ${shortName(name)} stops working within ${ROTATION_DAYS} days`,
    isEarly: true,
    accounts: [account],
    to: `/api-keys/${id}`,
  };
}

function namesOf({ items, total }: { items: ApiKey[]; total: number }): string {
  const more = total > SHOWN ? ` and ${formatNumber(total - SHOWN)} more` : '';
  const names = items.slice(0, SHOWN).map(({ name }) => shortName(name));
  return names.join(', ') + more;
}

/** Within a sentence: isolated (U+2068, U+2069), and shortened. */
function shortName(name: string): string {
  const plain = plainName(name);
  return `“\u2068${plain.length > 40 ? `${plain.slice(0, 40)}…` : plain}\u2069”`;
}

type Timer = Schema['AllowListTimerResponse'];

async function findListTimers(own: Record<string, string>): Promise<Attention[]> {
  const { items, total } = await api.GET('/admin/allow-list-timers', asQuery(own));
  return [
    ...items.slice(0, SHOWN).map(goesBack),
    ...ifAny(Math.max(0, total - SHOWN), {
      text: `${plural(total - SHOWN, 'more allow-list goes', 'more allow-lists go')} back unless kept`,
      isEarly: true,
      accounts: accountsOf(items.slice(SHOWN)),
      detail: 'The link opens the first of them.',
      to: editorOf(items[SHOWN]),
    }),
  ];
}

function goesBack(timer: Timer): Attention {
  const secs = Math.max(0, (Date.parse(timer.due_at) - Date.now()) / 1_000);
  return {
    text: `The allow-list of ${shortName(timer.name)} goes back in ${durationText(secs)} unless it is kept`,
    isEarly: true,
    accounts: [timer.account],
    to: editorOf(timer),
    verb: 'Decide',
  };
}

type Preset = Schema['AllowListPresetResponse'];

async function findPresetTroubles(): Promise<Attention[]> {
  const { items, folder_problem: problem } = await api.GET('/admin/allow-list-presets');
  const folder = { text: 'The folder of presets cannot be read', detail: problem, to: '/api-keys' };
  return [...(problem === null ? [] : [folder]), ...items.flatMap(unusable), ...items.flatMap(outdated)];
}

function unusable(preset: Preset): Attention[] {
  if (preset.problem === null) return [];
  const text = `The file of the preset ${preset.name} is not used`;
  return [{ text, detail: `${preset.problem}. Lists stay as they are.`, to: editorOf(preset.outdated[0]) }];
}

function outdated(preset: Preset): Attention[] {
  const { name, outdated_lists: count } = preset;
  return ifAny(count, {
    text: `${plural(count, 'allow-list has', 'allow-lists have')} an earlier version of the preset ${name}`,
    isEarly: true,
    accounts: accountsOf(preset.outdated),
    detail: count > 1 ? 'The link opens the first of them.' : undefined,
    to: editorOf(preset.outdated[0]),
  });
}

function editorOf(list: Pick<Timer, 'kind' | 'id'> | undefined): string {
  if (!list) return '/api-keys';
  return `/${list.kind === 'key' ? 'api-keys' : 'accounts'}/${list.id}/allow-list`;
}
