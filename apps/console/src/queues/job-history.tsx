import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { read } from '../api/client';
import { AccountName } from '../components/account-name';
import { Cause } from '../components/cause';
import { Dialog } from '../components/dialog';
import { Facts } from '../components/facts';
import { Loaded } from '../components/loading';
import { humanize } from '../components/number';
import { Time } from '../components/time';

interface Subject {
  queue: string;
  /** Of the voice, the webhook delivery or the message. */
  id: string;
  name: string;
}

/** Opens what happened to one job, in the queue and before it. */
export function HistoryButton(subject: Subject) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={`History: ${subject.name}`}
        onClick={dialog.open}
      >
        History…
      </Button>
      {isOpen && (
        <Dialog title="History" of={subject.name} wide discards onClose={dialog.close}>
          <History {...subject} />
        </Dialog>
      )}
    </>
  );
}

function History({ queue, id }: Subject) {
  const params = { queue, subject_id: id };
  const query = useQuery(read(['job', queue, id], '/admin/queues/{queue}/jobs/{subject_id}', params));
  return (
    <Loaded query={query}>
      {({ state, account, next_at: next, steps }) => (
        <>
          <Facts
            facts={[
              ['State', humanize(state)],
              ['Account', account === null ? 'the installation' : <AccountName account={account} />],
              ['Next attempt', <Time at={next} relative never="none" />],
              ['Id', <span className="gr-mono">{id}</span>],
            ]}
          />
          <ol className="gr-timeline" aria-label="What happened, newest first">
            {steps.map(({ at, what, by, cause }, place) => (
              <li key={place}>
                <Time at={at} /> {what} {by !== null && <span className="gr-dimmed">by {by}</span>}
                {cause !== null && <Cause text={cause} />}
              </li>
            ))}
          </ol>
        </>
      )}
    </Loaded>
  );
}
