import { useQuery } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { asQuery } from '../components/list-search';
import { plainName } from '../components/name';
import { formatNumber, plural } from '../components/number';
import { AttentionPanel, type Attention } from './attention';
import { dayFromNow, WATCH_MS } from './watch';

type ApiKey = Schema['ApiKeyResponse'];

const EXPIRY_DAYS = 14;
const ROTATION_DAYS = 3;
/** Credits and rotations are looked for among the keys that were used last: the others do not run out. */
const KEYS = 200;
const HIGH_SHARE = 0.9;
const SHOWN = 5;
const REFUSING_DAYS = 1;

/** Keys that will soon stop working. */
export function KeysAttention() {
  const query = useQuery({ queryKey: ['attention', 'keys'], queryFn: findKeys, refetchInterval: WATCH_MS });
  return (
    <AttentionPanel
      title="API keys"
      query={query}
      calm={`No list has refused a request since yesterday, no key expires within ${EXPIRY_DAYS} days, and none of the ${KEYS} used last is near its limit or the end of a rotation.`}
    />
  );
}

async function findKeys(): Promise<Attention[]> {
  const list = (query: Record<string, string>) =>
    unwrap(api.GET('/admin/api-keys', { params: { query: asQuery(query) } }));
  const soon = { status: 'enabled', expiring_before: dayFromNow(EXPIRY_DAYS), sort: 'expires_at' };
  const refusing = { status: 'enabled', list_refused_since: dayFromNow(-REFUSING_DAYS) };
  const [expiring, refused, used] = await Promise.all([
    list({ ...soon, limit: '1' }),
    list({ ...refusing, limit: '1' }),
    list({ status: 'enabled', sort: '-last_used_at', limit: String(KEYS) }),
  ]);
  return [
    ...used.items.filter(isNearLimit).slice(0, SHOWN).map(nearLimit),
    ...used.items.filter(isEndingRotation).slice(0, SHOWN).map(endingRotation),
    ...(refused.total === 0
      ? []
      : [
          {
            text: `${plural(refused.total, 'allow-list')} refused traffic since yesterday`,
            detail: 'From addresses that are not on the list of their key.',
            to: '/api-keys',
            search: refusing,
          },
        ]),
    ...(expiring.total === 0
      ? []
      : [
          {
            text: `${plural(expiring.total, 'key expires', 'keys expire')} within ${EXPIRY_DAYS} days`,
            isEarly: true,
            to: '/api-keys',
            search: soon,
          },
        ]),
  ];
}

const isNearLimit = ({ credits: { used, limit } }: ApiKey) => limit !== null && used >= limit * HIGH_SHARE;

const isEndingRotation = ({ old_secret_retires_at: at }: ApiKey) =>
  at !== null && Date.parse(at) < Date.now() + ROTATION_DAYS * 86_400_000;

function nearLimit({ id, name, credits: { used, limit } }: ApiKey): Attention {
  return {
    text: `${shortName(name)} has used ${formatNumber(used)} of ${formatNumber(limit ?? 0)} credits`,
    isEarly: used < (limit ?? 0),
    to: `/api-keys/${id}`,
  };
}

function endingRotation({ id, name }: ApiKey): Attention {
  return {
    text: `The old secret of ${shortName(name)} stops working within ${ROTATION_DAYS} days`,
    isEarly: true,
    to: `/api-keys/${id}`,
  };
}

/** Within a sentence: kept from turning it around (U+2068, U+2069), and from filling it. */
function shortName(name: string): string {
  const plain = plainName(name);
  return `“\u2068${plain.length > 40 ? `${plain.slice(0, 40)}…` : plain}\u2069”`;
}
