import { DAY_MS } from '@app/domain/common/utc-days';
import { usableCredits } from '@app/domain/credits/credits-left';
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
 * Keys that will soon stop working, or refuse requests, and presets that their lists do not have as they are now.
 *
 * @param withExpiring account managers have those of their accounts beside this list
 */
export async function findKeys(withExpiring: boolean): Promise<Attention[]> {
  const own = withExpiring ? {} : await ofManager();
  const list = (query: Record<string, string>) => api.GET('/admin/api-keys', asQuery(query));
  const soon = { status: 'enabled', expiring_before: dayFromNow(EXPIRY_DAYS), sort: 'expires_at' };
  const refusing = { ...own, status: 'enabled', list_refused_since: dayFromNow(-REFUSING_DAYS) };
  // Not sorted by the share: it has no index, and this is read again and again.
  const nearLimit = { ...own, status: 'enabled', min_credits_percent: String(HIGH_PERCENT) };
  const [expiring, refused, short, used, presets] = await Promise.all([
    withExpiring ? list({ ...soon, limit: NAMED }) : { total: 0, items: [] },
    list({ ...refusing, limit: NAMED }),
    list({ ...nearLimit, limit: NAMED }),
    list({ ...own, status: 'enabled', sort: '-last_used_at', limit: String(KEYS) }),
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
    ...ifAny(refused.total, {
      text: `${plural(refused.total, 'allow-list')} refused traffic since yesterday`,
      accounts: accountsOf(refused.items),
      detail: 'From addresses that are not on the list of their key.',
      to: '/api-keys',
      search: refusing,
    }),
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

/** Within a sentence: isolated (U+2068, U+2069), and shortened. */
function shortName(name: string): string {
  const plain = plainName(name);
  return `“\u2068${plain.length > 40 ? `${plain.slice(0, 40)}…` : plain}\u2069”`;
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
  return [{ text, detail: `${preset.problem}. Lists stay as they are.`, to: editorOf(preset) }];
}

function outdated(preset: Preset): Attention[] {
  const { name, outdated_lists: count } = preset;
  return ifAny(count, {
    text: `${plural(count, 'allow-list has', 'allow-lists have')} an earlier version of the preset ${name}`,
    isEarly: true,
    accounts: accountsOf(preset.outdated),
    detail: count > 1 ? 'The link opens the first of them.' : undefined,
    to: editorOf(preset),
  });
}

/** Where the first list is edited that a preset concerns. */
function editorOf({ outdated: [first] }: Preset): string {
  if (!first) return '/api-keys';
  return first.kind === 'key' ? `/api-keys/${first.id}/allow-list` : `/accounts/${first.id}/allow-list`;
}
