import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../api/client';
import { Empty, Loaded } from '../components/loading';
import { UserText } from '../components/name';
import { Panel } from '../components/page';
import { Time } from '../components/time';
import { outcomesOf, type Outcome } from './outcome';

/** What a request that was sent did: what it cost, what it created, or why it was refused. */
export function OutcomePanel({ requestId }: { requestId: string }) {
  const query = useQuery(read(['search', requestId], '/admin/search', { q: requestId }));
  return (
    <Panel title="What the request did">
      <Loaded query={query} lines={2}>
        {({ items, nearest }) => <Outcomes outcomes={nearest ? [] : outcomesOf(items)} />}
      </Loaded>
    </Panel>
  );
}

function Outcomes({ outcomes }: { outcomes: Outcome[] }) {
  if (outcomes.length === 0) {
    return (
      <Empty title="Nothing is recorded">
        A request that only reads leaves no record when it is let in. Of the others, and of refusals, the
        newest of each key are stored for 30 days.
      </Empty>
    );
  }
  return (
    <ul className="gr-attention" aria-label="What the request did">
      {outcomes.map(({ text, at, to }) => (
        <li key={`${text} ${at}`}>
          {to === undefined ? <UserText>{text}</UserText> : <OutcomeLink text={text} to={to} />}
          <div className="gr-dimmed">
            <Time at={at} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function OutcomeLink({ text, to }: { text: string; to: string }) {
  const [path, query = ''] = to.split('?');
  return (
    <Link to={path} search={Object.fromEntries(new URLSearchParams(query)) as never}>
      {text}
    </Link>
  );
}
