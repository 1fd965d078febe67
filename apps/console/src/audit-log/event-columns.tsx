import { Stack } from '@mantine/core';
import type { Column } from '../components/data-table';
import { dayHeading } from '../components/day';
import { Facts } from '../components/facts';
import { capitalised, formatNumber, humanize } from '../components/number';
import { Time } from '../components/time';
import { Differences } from './differences';
import type { Grouped } from './group-sign-ins';
import { EventSentence, type AuditEvent } from './event-sentence';

/** An event in a table, under its day: when, and what as a sentence. */
const EVENT_COLUMNS: Column<Grouped<AuditEvent>>[] = [
  { id: 'at', header: 'When', cell: ({ at }) => <Time at={at} clock /> },
  {
    id: 'event',
    header: 'What happened',
    cell: (event) => (
      <>
        <EventSentence event={event} />
        {event.refusals && event.refusals.attempts > 1 && (
          <div>
            {formatNumber(event.refusals.attempts)} attempts since <Time at={event.refusals.since} />
          </div>
        )}
      </>
    ),
  },
];

/** An event in full: who, from where, and field by field what it changed. */
export function EventDetails({ event }: { event: AuditEvent }) {
  const { at, actor, action, target, address, before, after } = event;
  return (
    <Stack>
      <strong>
        <EventSentence event={event} />
      </strong>
      <Facts
        facts={[
          ['When', <Time at={at} />],
          ['Who', <bdi>{`${actor.name}, ${humanize(actor.role ?? actor.kind)}`}</bdi>],
          ['From', <span className="gr-mono">{address ?? 'not recorded'}</span>],
          ['Action', <span className="gr-mono">{action}</span>],
          [capitalised(humanize(target.type)), <span className="gr-mono">{target.id}</span>],
        ]}
      />
      <Differences before={before} after={after} />
    </Stack>
  );
}

/** How lists of events are shown: by day, with a panel for each in full. */
export const EVENT_LIST = {
  columns: EVENT_COLUMNS,
  rowId: ({ id }: AuditEvent) => id,
  groupOf: ({ at }: AuditEvent) => dayHeading(at),
  peek: (event: AuditEvent) => <EventDetails event={event} />,
};

/** Which events the audit log shows to a role. */
export const SCOPES: Record<string, string> = {
  admin: 'Everything that was done.',
  account_manager: 'What was done to accounts that you have acted on.',
  support: 'What you have done.',
  ops: 'What you have done.',
};
