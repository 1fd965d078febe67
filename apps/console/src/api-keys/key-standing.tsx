import { DAY_MS } from '@app/domain/common/utc-days';
import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../api/client';
import { Answer, Stats } from '../components/page';
import { sumOf } from '../components/chart-days';
import { Meter, paceOf } from '../components/meter';
import { capitalised, formatNumber, humanize, plural } from '../components/number';
import { Time } from '../components/inline';
import { groupRefusals, type Refusal } from '../explain/group-refusals';
import { refusalsQuery, Repair } from '../explain/refusals-panel';
import { LastUse } from './key-change';
import { toneOf } from './key-limits';
import type { useKeyLimits } from './key-side';
import { isRefused, trafficQuery } from './traffic-panel';

type Detail = Schema['ApiKeyDetailResponse'];
type Limits = ReturnType<typeof useKeyLimits>;

/** What ends within these days is said first. */
const SOON_DAYS = 7;

export function KeyStanding({ apiKey: key, limits }: { apiKey: Detail; limits: Limits }) {
  const traffic = useQuery(trafficQuery(key.id)).data;
  const refusals = useQuery(refusalsQuery(key.id)).data?.items ?? [];
  const lately = (traffic?.hours ?? []).filter(({ hour }) => Date.now() - Date.parse(hour) < DAY_MS);
  const all = sumOf(lately.map(({ requests }) => requests));
  const refused = sumOf(lately.filter(isRefused).map(({ requests }) => requests));
  const { credits } = key;
  const own = limits.find(({ id }) => id === key.id);
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
                  tone={toneOf(own)}
                  label={`${formatNumber(own.used)} of ${formatNumber(own.limit)} credits`}
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
            ...(endsWithin(key.expires_at, SOON_DAYS) && { tone: 'warn' as const }),
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
            Requests that cost credits are refused until <Time at={usedUp.end} dateOnly />.
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
          <Repair apiKey={key} refusal={worst.newest} />
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
