import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, useMay } from '../api/client';
import { zoneName } from '../components/day';
import { asQuery } from '../components/list-search';
import { formatNumber, plural } from '../components/number';
import { whenQuiet } from '../components/when-quiet';
import { WATCH_MS } from '../components/watch';
import { forMeQuery } from '../home/find-approvals';
import { overviewQuery } from '../queues/queue-queries';
import { summaryQuery } from '../review-desk/desk-queries';
import { COUNTED, GROUPS, type MenuEntry, type CountName } from './navigation';

export function Menu(props: { entries: readonly MenuEntry[]; current: MenuEntry | undefined }) {
  const { entries, current } = props;
  const counts = useCounts();
  return (
    <>
      <div className="gr-menu" style={{ flex: 1 }}>
        {GROUPS.map((group) => {
          const shown = entries.filter((entry) => entry.group === group);
          return (
            shown.length > 0 && (
              <div key={group} role="group" aria-label={group}>
                {group !== 'Home' && (
                  <div className="gr-group" aria-hidden>
                    {group}
                  </div>
                )}
                {shown.map((entry) => (
                  <Entry
                    key={entry.label}
                    entry={entry}
                    active={entry === current}
                    count={entry.count && counts[entry.count]}
                  />
                ))}
              </div>
            )
          );
        })}
      </div>
      <Zone />
    </>
  );
}

/** Late: whatever is first of `Intl` takes long. */
function Zone() {
  const [zone, setZone] = useState('');
  useEffect(() => {
    whenQuiet(() => setZone(zoneName(new Date())));
  }, []);
  return (
    <div className="gr-group" style={{ paddingBlock: '0 2px', minHeight: 18 }}>
      {zone && `Times: ${zone}`}
    </div>
  );
}

function Entry(props: { entry: MenuEntry; active: boolean; count?: number }) {
  const { entry, active, count = 0 } = props;
  const { screens, label, icon: Icon, count: counted } = entry;
  const [one, many] = counted ? COUNTED[counted] : [];
  return (
    <Link to={screens[0]!.to} aria-current={active ? 'page' : undefined}>
      <Icon size={16} color={active ? 'var(--accent)' : undefined} aria-hidden />
      {label}
      {one && count > 0 && (
        <Text span ml="auto" fz="sm" fw={600} c="var(--bad)" title={plural(count, one, many)}>
          {formatNumber(count)}
        </Text>
      )}
    </Link>
  );
}

/** The numbers beside the entries of the menu. Each role sees voices that need a person once: as dead letters if it may. */
function useCounts(): Partial<Record<CountName, number>> {
  const may = useMay();
  const seesQueues = may('queues.read');
  const overview = useQuery({ ...overviewQuery, enabled: seesQueues, refetchInterval: WATCH_MS });
  const stalled = useQuery({
    queryKey: ['stalled-count'],
    queryFn: async () => {
      const query = asQuery({ status: 'stalled', limit: '1' });
      return (await api.GET('/admin/voices', query)).total;
    },
    enabled: !seesQueues && may('voices.read'),
    refetchInterval: WATCH_MS,
  });
  const desk = useQuery({ ...summaryQuery, enabled: may('voices.review'), refetchInterval: WATCH_MS });
  const approvals = useQuery({ ...forMeQuery, enabled: may('approvals.decide'), refetchInterval: WATCH_MS });
  return {
    approvals: approvals.data?.total,
    review_desk: desk.data?.waiting,
    dead_letters: overview.data?.dead_letters,
    stalled_voices: stalled.data,
  };
}
