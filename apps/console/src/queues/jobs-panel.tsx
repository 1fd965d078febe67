import { Stack } from '@mantine/core';
import { QUEUED_JOB_STATES, type QueuedJobState } from '@app/domain/reviews/queued-job-states';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../api/client';
import { Person, AccountName, Name, Time } from '../components/inline';
import { Cause } from '../components/cause';
import { OpenButton } from '../components/action-dialog';
import { Choice } from '../components/fields';
import { Dialog } from '../components/dialog';
import { Facts, Loaded, Panel } from '../components/page';
import { humanize } from '../components/number';
import { LoadedTable } from '../components/simple-table';

const EVERY_MS = 5_000;

export function JobsPanel({ queues }: { queues: string[] }) {
  const [queue, setQueue] = useState(queues[0]!);
  const [state, setState] = useState<QueuedJobState>('active');
  const params = { queue, state };
  const query = useQuery({
    ...read(['jobs', queue, state], '/admin/queues/{queue}/jobs', params),
    refetchInterval: EVERY_MS,
  });
  return (
    <Panel
      title="Single jobs"
      actions={
        <>
          <Choice aria-label="Queue" size="xs" data={queues} value={queue} onPick={setQueue} />
          <Choice aria-label="State" size="xs" data={QUEUED_JOB_STATES} value={state} onPick={setState} />
        </>
      }
    >
      <LoadedTable
        name="Single jobs"
        query={query}
        empty={[`No job of ${queue} is ${state}`]}
        rowId={({ job_id }) => job_id}
        columns={[
          {
            header: 'Job',
            cell: ({ name, job_id }) =>
              name === null ? <span className="gr-mono">{job_id}</span> : <Name>{name}</Name>,
          },
          { header: 'Account', cell: ({ account }) => account && <AccountName account={account} /> },
          { header: 'Attempts', number: true, cell: ({ attempts }) => attempts },
          { header: 'Added', cell: ({ added_at: at }) => <Time at={at} relative /> },
          { header: 'Last error', cell: ({ error }) => error !== null && <Cause text={error} /> },
          {
            header: '',
            cell: ({ name, subject_id: id }) =>
              name !== null && <HistoryButton queue={queue} id={id} name={name} />,
          },
        ]}
      />
    </Panel>
  );
}

interface Subject {
  queue: string;
  /** Of the voice, the webhook delivery or the message. */
  id: string;
  name: string;
}

export function HistoryButton(subject: Subject) {
  return (
    <OpenButton size="compact-sm" variant="subtle" label="History…" aria-label={`History: ${subject.name}`}>
      {(close) => (
        <Dialog title="History" of={subject.name} wide discards onClose={close}>
          <History {...subject} />
        </Dialog>
      )}
    </OpenButton>
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
          <Stack component="ol" className="gr-timeline" gap="sm" aria-label="What happened, newest first">
            {steps.map(({ at, what, by, cause }, place) => (
              <li key={place}>
                <Time at={at} /> {what}{' '}
                {by && (
                  <span className="gr-dimmed">
                    by <Person by={by} />
                  </span>
                )}
                {cause !== null && <Cause text={cause} />}
              </li>
            ))}
          </Stack>
        </>
      )}
    </Loaded>
  );
}
