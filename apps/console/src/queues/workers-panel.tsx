import { useQuery } from '@tanstack/react-query';
import { api, type Schema, queryClient, useMay } from '../api/client';
import { ActionButton } from '../components/action-dialog';
import { Panel } from '../components/page';
import { plural } from '../components/number';
import { Person, VoiceName, UserText, Time, StatusBadge, type Tone } from '../components/inline';
import { LoadedTable } from '../components/simple-table';
import { durationText } from '@app/domain/common/duration-text';
import { HistoryButton } from './jobs-panel';
import { workersQuery } from './queue-queries';

type Worker = Schema['WorkerResponse'];

const TONES: Record<Worker['health'], Tone> = {
  healthy: 'good',
  stuck: 'bad',
  silent: 'bad',
  replaced: 'calm',
};

export function WorkersPanel() {
  const query = useQuery(workersQuery);
  return (
    <Panel title="Workers">
      <LoadedTable
        name="Workers"
        query={query}
        empty={['No worker is running', 'Reviews wait until one is started.']}
        columns={[
          { header: 'Name', cell: ({ name }) => <span className="gr-mono">{name}</span> },
          { header: 'Health', cell: (worker) => <Health worker={worker} /> },
          { header: 'Running', cell: (worker) => <Running worker={worker} /> },
          { header: 'Started', cell: ({ started_at: at }) => <Time at={at} relative /> },
          { header: '', cell: (worker) => <QuietButton worker={worker} /> },
        ]}
      />
    </Panel>
  );
}

function Health({ worker }: { worker: Worker }) {
  const { health, quiet } = worker;
  return (
    <>
      <StatusBadge tone={TONES[health]}>{health}</StatusBadge>{' '}
      <span className="gr-dimmed">{healthText(worker)}</span>
      {quiet !== null && (
        <div>
          <StatusBadge tone="warn">quiet</StatusBadge>{' '}
          <span className="gr-dimmed gr-name">
            takes nothing new; <Person by={quiet.by} />: <UserText>{quiet.reason}</UserText>
          </span>
        </div>
      )}
    </>
  );
}

function Running({ worker: { running, concurrency } }: { worker: Worker }) {
  return (
    <>
      {running.length === 0 && <span className="gr-dimmed">nothing</span>}
      {running.map(({ voice_id, name, attempt, secs }) => (
        <div key={voice_id}>
          <VoiceName id={voice_id} name={name} />, attempt {attempt}, {durationText(secs)}{' '}
          <HistoryButton queue="voice-review" id={voice_id} name={name} />
        </div>
      ))}
      <div className="gr-dimmed">up to {plural(concurrency, 'review')} at once</div>
    </>
  );
}

function QuietButton({ worker: { id, name, health, quiet } }: { worker: Worker }) {
  const may = useMay();
  if (!may('queues.pause') || (quiet === null && health !== 'healthy')) return null;
  const [label, command] = quiet === null ? (['Quiet', 'quiet'] as const) : (['Resume', 'resume'] as const);
  const confirm = async (reason: string) => {
    const changed = await api.POST(`/admin/queues/workers/{worker_id}/${command}`, id, { reason });
    queryClient.setQueryData(workersQuery.queryKey, changed);
  };
  return (
    <ActionButton
      label={label}
      name={`${label}: ${name}`}
      title={label}
      of={name}
      consequence={
        quiet === null
          ? 'It finishes its running jobs and takes no new ones until it is resumed or stopped. The other workers take what waits; without another worker, everything waits.'
          : 'It takes jobs again within a second or two.'
      }
      onConfirm={confirm}
    />
  );
}

function healthText({ health, seen_at, idle_secs }: Worker): string {
  if (health === 'silent')
    return `no heartbeat for ${durationText((Date.now() - Date.parse(seen_at)) / 1_000)}`;
  if (health === 'replaced') return 'another worker was started since';
  return health === 'stuck' ? `none started for ${durationText(idle_secs)}` : '';
}
