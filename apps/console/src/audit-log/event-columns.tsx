import type { Column } from '../components/data-table';
import { formatNumber, words } from '../components/number';
import { Time } from '../components/time';
import { Differences } from './differences';
import type { Grouped } from './group-sign-ins';
import { EventSentence, type AuditEvent } from './event-sentence';

/** An event in a table: when, what as a sentence, and field by field what it changed. */
export const EVENT_COLUMNS: Column<Grouped<AuditEvent>>[] = [
  { id: 'at', header: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    id: 'event',
    header: 'What happened',
    cell: (event) => (
      <div>
        <EventSentence event={event} />
        {event.refusals && event.refusals.attempts > 1 && (
          <div>
            {formatNumber(event.refusals.attempts)} attempts since <Time at={event.refusals.since} />
          </div>
        )}
        <div className="gr-dimmed">
          {event.actor.kind === 'staff' && `${event.actor.name}, `}
          {words(event.actor.role ?? event.actor.kind)}
          {event.address !== null && <span className="gr-mono"> {event.address}</span>}
        </div>
      </div>
    ),
  },
  {
    id: 'action',
    header: 'Action',
    cell: ({ action, target }) => (
      <div>
        <span className="gr-mono">{action}</span>
        <div className="gr-dimmed gr-mono">
          {words(target.type)} {target.id}
        </div>
      </div>
    ),
  },
  {
    id: 'change',
    header: 'Change',
    cell: ({ before, after }) => <Differences before={before} after={after} />,
  },
];

/** Which events the audit log shows to a role. */
export const SCOPES: Record<string, string> = {
  admin: 'Everything that was done.',
  account_manager: 'What was done to accounts that you have acted on.',
  support: 'What you have done.',
  ops: 'What you have done.',
};
