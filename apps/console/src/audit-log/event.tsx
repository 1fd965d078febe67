import { Stack } from '@mantine/core';
import type { Schema } from '../api/client';
import { LinkFor, Person, UserText, Name, Time } from '../components/inline';
import type { Column } from '../components/data-table';
import { dayHeading } from '../components/day';
import { Facts } from '../components/page';
import { capitalised, formatNumber, humanize } from '../components/number';
import './events.css';
import { fieldDifferences } from './field-differences';
import type { Grouped } from './group-sign-ins';
import { sentenceOf, type Part } from './sentences';

export type AuditEvent = Schema['NamedAuditEventResponse'];

export function EventSentence({ event }: { event: AuditEvent }) {
  const parts = sentenceOf(event);
  const last = parts.pop()!;
  return (
    <span className="gr-sentence" style={{ display: 'block' }}>
      {parts.map((part, index) => (
        <SentencePart key={index} part={part} />
      ))}
      {/* What ends it stays beside a name. */}
      <span className={typeof last === 'string' ? undefined : 'gr-hint'}>
        <SentencePart part={last} />
        {event.reason === null ? '.' : ':'}
      </span>{' '}
      {event.reason !== null && <UserText>{event.reason}</UserText>}
    </span>
  );
}

function SentencePart({ part }: { part: Part }) {
  if (typeof part === 'string') return part;
  const { name, to, by = name } = part;
  const shown = by.includes('@') ? <Person by={by} name={by === name ? null : name} /> : <Name>{name}</Name>;
  if (to === undefined) return shown;
  return (
    <LinkFor needs={neededFor(to)} to={to}>
      {shown}
    </LinkFor>
  );
}

function neededFor(to: string) {
  if (to.startsWith('/api-keys')) return 'keys.read';
  return to.startsWith('/voices') ? 'voices.read' : 'accounts.read';
}

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

function EventDetails({ event }: { event: AuditEvent }) {
  const { at, actor, action, target, address, before, after, names } = event;
  return (
    <Stack>
      <strong>
        <EventSentence event={event} />
      </strong>
      <Facts
        facts={[
          ['When', <Time at={at} />],
          [
            'Who',
            <>
              <Person by={actor.name} name={names.actor} />, {humanize(actor.role ?? actor.kind)}
            </>,
          ],
          ['From', <span className="gr-mono">{address ?? 'not recorded'}</span>],
          ['Action', <span className="gr-mono">{action}</span>],
          [capitalised(humanize(target.type)), <span className="gr-mono">{target.id}</span>],
        ]}
      />
      <Differences before={before} after={after} />
    </Stack>
  );
}

export const EVENT_LIST = {
  columns: EVENT_COLUMNS,
  groupOf: ({ at }: AuditEvent) => dayHeading(at),
  peek: (event: AuditEvent) => <EventDetails event={event} />,
};

export const SCOPES: Record<string, string> = {
  admin: 'Everything that was done.',
  account_manager: 'What was done to accounts that you have acted on.',
  support: 'What you have done.',
  ops: 'What you have done.',
};

/** Longer values are shown to their beginning until they are opened. */
const LONG = 240;

/** What an event changed, field by field: as it was, struck out, and as it is. */
export function Differences({ before, after }: { before: unknown; after: unknown }) {
  const differences = fieldDifferences(before, after);
  if (differences.length === 0) return null;
  return (
    <Stack component="dl" className="gr-differences" fz="sm" gap={6}>
      {differences.map(({ field, was, is }) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>
            {was !== null && (
              <del>
                <Value text={was} />
              </del>
            )}{' '}
            {is !== null && (
              <ins>
                <Value text={is} />
              </ins>
            )}
          </dd>
        </div>
      ))}
    </Stack>
  );
}

function Value({ text }: { text: string }) {
  if (text.length <= LONG) return <UserText>{text}</UserText>;
  return (
    <details>
      <summary>
        <UserText>{text.slice(0, LONG)}</UserText>…
      </summary>
      <UserText>{text.slice(LONG)}</UserText>
    </details>
  );
}
