import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../api/client';
import { asQuery } from '../components/list-search';
import { Folded, Loaded, Panel } from '../components/page';
import { formatNumber } from '../components/number';
import { Time } from '../components/inline';
import { Differences, EventSentence } from './event';

const SHOWN = 5;

export function NewestEvents({ targetId }: { targetId: string }) {
  const query = useQuery(eventsAbout(targetId, SHOWN));
  return (
    <Panel
      title="History"
      actions={
        Boolean(query.data?.total) && (
          <Link to="/audit-log" search={{ target: targetId } as never}>
            All {formatNumber(query.data!.total)}
          </Link>
        )
      }
    >
      <Loaded
        query={query}
        empty={<div className="gr-dimmed">Nothing has been changed that you may see.</div>}
      >
        {({ items }) => (
          <Stack component="ol" className="gr-timeline" gap="sm" aria-label="History, newest first">
            {items.map((event) => (
              <li key={event.id}>
                <EventSentence event={event} />
                <Folded summary={<Time at={event.at} relative />}>
                  <Differences before={event.before} after={event.after} />
                </Folded>
              </li>
            ))}
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

export function eventsAbout(targetId: string, limit: number) {
  const search = { target: targetId, limit: String(limit) };
  return read(['audit-log', search], '/admin/audit-log', asQuery(search));
}
