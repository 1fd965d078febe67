import { DAY_MS } from '@app/domain/common/utc-days';
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read, type Schema, useMay } from '../api/client';
import { Answer, Panel, Stats } from '../components/page';
import { sumOf } from '../components/chart-days';
import { Meter, paceOf } from '../components/meter';
import type { ListSearch } from '../components/list-filters';
import { capitalised, formatNumber, humanize, plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/inline';
import { GATE_NAMES, SETTINGS } from '../explain/explanation';
import { groupRefusals, type Refusal } from './group-refusals';
import { LastUse } from './key-change';
import type { useKeyLimits } from './key-side';
import { isRefused, trafficQuery } from './traffic-panel';

type Detail = Schema['ApiKeyDetailResponse'];
type Limits = ReturnType<typeof useKeyLimits>;

/** What ends within these days is said first. */
const SOON_DAYS = 7;

const refusalsQuery = (keyId: string) =>
  read(['refusals', keyId], '/admin/api-keys/{key_id}/refusals', keyId);

/** Whether a key works, what is wrong with it now and what repairs it, and the figures behind it. */
export function KeyStanding({ apiKey: key, limits }: { apiKey: Detail; limits: Limits }) {
  const traffic = useQuery(trafficQuery(key.id)).data;
  const refusals = useQuery(refusalsQuery(key.id)).data?.items ?? [];
  const lately = (traffic?.hours ?? []).filter(({ hour }) => Date.now() - Date.parse(hour) < DAY_MS);
  const all = sumOf(lately.map(({ requests }) => requests));
  const refused = sumOf(lately.filter(isRefused).map(({ requests }) => requests));
  const { credits } = key;
  const own = limits.find(({ id }) => id === key.id);
  const percent = own && `${formatNumber(own.used)} of ${formatNumber(own.limit)} credits`;
  const expiresSoon = endsWithin(key.expires_at, SOON_DAYS);
  return (
    <>
      <Sentence {...{ apiKey: key, limits, refusals, all, refused }} />
      <Stats
        stats={[
          {
            label: 'Credits, this key',
            value: formatNumber(credits.used),
            note: own ? (
              <>
                of {formatNumber(own.limit)}
                <Meter
                  share={own.share}
                  pace={paceOf({ start: credits.period_start, end: credits.period_end })}
                  label={percent!}
                />
              </>
            ) : (
              'no separate limit'
            ),
          },
          {
            label: 'Last use',
            value: <Time at={key.last_used_at} relative />,
            note: key.last_used_from && <span className="gr-mono">from {key.last_used_from}</span>,
          },
          {
            label: 'Refused, 24 hours',
            value: formatNumber(refused),
            note: `of ${plural(all, 'request')}`,
            ...(refused > 0 && { tone: 'bad' as const }),
          },
          {
            label: 'Expires',
            value: <Time at={key.expires_at} relative />,
            note: key.expires_at && <Time at={key.expires_at} />,
            ...(expiresSoon && { tone: 'warn' as const }),
          },
        ]}
      />
    </>
  );
}

const endsWithin = (at: string | null, days: number) =>
  at !== null && Date.parse(at) - Date.now() < days * DAY_MS;

/** The worst of what is true now, with its repair. */
function Sentence(props: {
  apiKey: Detail;
  limits: Limits;
  refusals: readonly Refusal[];
  all: number;
  refused: number;
}) {
  const { apiKey: key, limits, refusals, all, refused } = props;
  const usedUp = limits.find(({ share }) => share >= 1);
  if (key.effective_status !== 'enabled')
    return (
      <Answer sentence={`Every request is refused: ${humanize(key.effective_status)}.`}>
        {key.disabled_at && (
          <>
            Disabled <Time at={key.disabled_at} />.{' '}
          </>
        )}
        Last use: <LastUse at={key.last_used_at} from={key.last_used_from} />.
      </Answer>
    );
  if (usedUp)
    return (
      <Answer
        sentence={
          <>
            Requests that cost credits are refused until{' '}
            <Time at={new Date(usedUp.end).toISOString()} dateOnly />.
          </>
        }
      >
        {usedUp.name}: {formatNumber(usedUp.used)} of {formatNumber(usedUp.limit)} credits are used.
      </Answer>
    );
  const [worst] = groupRefusals(refusals).toSorted((one, other) => other.count - one.count);
  if (refused > 0 && worst)
    return (
      <Answer sentence={`${plural(refused, 'request')} of ${formatNumber(all)} refused in 24 hours.`}>
        <Group gap="xs">
          <span>
            {capitalised(humanize(worst.newest.reason))}, from{' '}
            <span className="gr-mono">{worst.newest.address}</span>, the last{' '}
            <Time at={worst.newest.at} relative />.
          </span>
          <Repair keyId={key.id} refusal={worst.newest} />
        </Group>
      </Answer>
    );
  if (endsWithin(key.expires_at, SOON_DAYS))
    return (
      <Answer
        sentence={
          <>
            It stops working <Time at={key.expires_at} relative />.
          </>
        }
      >
        Requests are refused from then on, unless its expiry is moved.
      </Answer>
    );
  return (
    <Answer
      sentence={
        key.last_used_at === null
          ? 'It was never used.'
          : all === 0
            ? 'Nothing in the last 24 hours.'
            : `${plural(all, 'request')} in 24 hours, none refused.`
      }
    />
  );
}

/** Gates that a setting of the key opens. */
const OF_THE_KEY = ['limit', 'scope', 'model', 'voice'];

/** What lets the requests of a refusal in, or says why they are not. */
function Repair({ keyId, refusal }: { keyId: string; refusal: Refusal }) {
  const { gate, route, address, cost } = refusal;
  const may = useMay();
  const [method = 'GET', path = ''] = route.split(' ');
  // Some requests come from an address that is unknown, or not counted one by one.
  if (!/[.:]/.test(address)) return null;
  const step = (label: string, to: '' | '/explain' | '/allow-list', search: ListSearch) => (
    <Button
      size="compact-xs"
      variant="default"
      renderRoot={(props) => (
        <Link to={`/api-keys/$keyId${to}`} params={{ keyId }} search={search as never} {...props} />
      )}
    >
      {label}
    </Button>
  );
  const mayWrite = may('keys.write');
  const request = { address, method, path, ...(cost !== null && { cost: String(cost) }) };
  return (
    <>
      {may('keys.explain') && step('Explain', '/explain', request)}
      {mayWrite && gate === 'ip' && step('Add address', '/allow-list', { add: address })}
      {mayWrite && OF_THE_KEY.includes(gate) && step('Edit the key', '', { do: `edit.${SETTINGS[gate]}` })}
    </>
  );
}

const gateName = (gate: string) => (GATE_NAMES as Record<string, string>)[gate] ?? gate;

export function RefusalsPanel({ keyId }: { keyId: string }) {
  const { data } = useQuery(refusalsQuery(keyId));
  // The sentence of the screen says that there are none.
  if (!data?.items.length) return null;
  return (
    <Panel title="Recent refusals">
      <SimpleTable
        name="Recent refusals"
        rows={groupRefusals(data.items)}
        rowId={({ newest }) => newest.request_id}
        columns={[
          {
            header: 'Gate, and why',
            cell: ({ newest: { gate, reason } }) => (
              <>
                <strong>{gateName(gate)}</strong> {capitalised(humanize(reason))}
              </>
            ),
          },
          { header: 'Response', number: true, cell: ({ newest }) => newest.status },
          { header: 'Operation', className: 'gr-mono', cell: ({ newest }) => newest.route },
          { header: 'From', className: 'gr-mono', cell: ({ newest }) => newest.address },
          { header: 'Requests', number: true, cell: ({ count }) => formatNumber(count) },
          { header: 'Latest', number: true, cell: ({ newest }) => <Time at={newest.at} relative /> },
          {
            header: 'What to do',
            cell: ({ newest }) => (
              <Group gap={4}>
                <Repair keyId={keyId} refusal={newest} />
              </Group>
            ),
          },
        ]}
      />
    </Panel>
  );
}
