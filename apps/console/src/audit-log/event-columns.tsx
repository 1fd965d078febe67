import type { Column } from '../components/data-table';
import { Folded } from '../components/folded';
import { formatNumber, humanize } from '../components/number';
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
      </div>
    ),
  },
  {
    id: 'details',
    header: 'Details',
    cell: ({ actor, action, target, address, before, after }) => (
      <Folded summary="Details">
        <div className="gr-dimmed gr-mono">
          {actor.name}, {humanize(actor.role ?? actor.kind)} · {action} · {humanize(target.type)} {target.id}
          {address !== null && ` · ${address}`}
        </div>
        <Differences before={before} after={after} />
      </Folded>
    ),
  },
];

/** Which events the audit log shows to a role. */
export const SCOPES: Record<string, string> = {
  admin: 'Everything that was done.',
  account_manager: 'What was done to accounts that you have acted on.',
  support: 'What you have done.',
  ops: 'What you have done.',
};
