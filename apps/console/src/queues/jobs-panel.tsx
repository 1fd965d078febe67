import { QUEUED_JOB_STATES, type QueuedJobState } from '@app/domain/reviews/queued-job-states';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../api/client';
import { AccountName } from '../components/account-name';
import { Cause } from '../components/cause';
import { Choice } from '../components/choice';
import { Empty, Loaded } from '../components/loading';
import { Name } from '../components/name';
import { Panel } from '../components/page';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/time';
import { HistoryButton } from './job-history';

const EVERY_MS = 5_000;

/** Single jobs as a queue knows them, the newest 50, each with its history. */
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
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={`No job of ${queue} is ${state}`} />
          ) : (
            <SimpleTable
              name="Single jobs"
              rows={items}
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
          )
        }
      </Loaded>
    </Panel>
  );
}
