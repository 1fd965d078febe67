import type { Schema } from '../api/client';
import { LinkFor } from '../components/account-name';
import { UserText, Name } from '../components/name';
import { sentenceOf, type Part } from './sentences';
import './events.css';

export type AuditEvent = Schema['NamedAuditEventResponse'];

/** An event of the audit log as a sentence, with links to what it names, and its reason. */
export function EventSentence({ event }: { event: AuditEvent }) {
  const parts = sentenceOf(event);
  const last = parts.pop()!;
  return (
    <span className="gr-sentence">
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
  const name = <Name>{part.name}</Name>;
  if (part.to === undefined) return name;
  return (
    <LinkFor needs={neededFor(part.to)} to={part.to}>
      {name}
    </LinkFor>
  );
}

function neededFor(to: string) {
  if (to.startsWith('/api-keys')) return 'keys.read';
  return to.startsWith('/voices') ? 'voices.read' : 'accounts.read';
}
