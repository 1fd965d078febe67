import { Button, Group, Stack } from '@mantine/core';
import { Choice } from '../components/choice';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema, refresh } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { Loaded, PageHeader, Panel } from '../components/page';
import { UserText } from '../components/name';
import { formatNumber } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { StatusBadge, type Tone } from '../components/banner';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import { durationText } from '@app/domain/common/duration-text';
import { timersQuery } from './queue-queries';

type Timer = Schema['TimerResponse'];
type Requested = 'run' | 'pause' | 'resume';

const EVERY_MS = 3_000;

const STATES: Record<Timer['state'], [Tone, string]> = {
  on_time: ['good', 'on time'],
  late: ['bad', 'late'],
  failing: ['bad', 'failing'],
  paused: ['warn', 'paused'],
  waiting: ['calm', 'not run yet'],
};

const PERIODS = [
  { value: '15', label: '15 minutes' },
  { value: '60', label: '1 hour' },
  { value: '240', label: '4 hours' },
  { value: '1440', label: '1 day' },
];

/** What workers do again and again: when they did it last, what it did, and when it is due. */
export function TimersPage() {
  const query = useQuery({ ...timersQuery, refetchInterval: EVERY_MS });
  return (
    <Stack>
      <PageHeader
        title="Timers"
        hint="What workers do at regular intervals. The result of a run appears a few seconds later."
      />
      <Panel>
        <Loaded query={query}>
          {({ items }) => (
            <SimpleTable
              name="Timers"
              rows={items}
              rowId={({ name }) => name}
              columns={[
                {
                  header: 'Timer',
                  className: 'gr-rest',
                  cell: ({ name, purpose }) => (
                    <div className="gr-one-line" title={purpose}>
                      {name} <span className="gr-dimmed">{purpose}</span>
                    </div>
                  ),
                },
                { header: 'State', cell: (timer) => <State timer={timer} /> },
                { header: 'Last run', className: 'gr-hint', cell: ({ last }) => <LastRun last={last} /> },
                { header: 'Last did', className: 'gr-rest', cell: ({ did }) => <Did did={did} /> },
                {
                  header: 'Next',
                  className: 'gr-hint',
                  cell: (timer) => (
                    <>
                      <Next timer={timer} />
                      {timer.every_secs !== null && (
                        <span className="gr-dimmed">, every {periodText(timer.every_secs)}</span>
                      )}
                    </>
                  ),
                },
                { header: '', cell: (timer) => <Actions timer={timer} /> },
              ]}
            />
          )}
        </Loaded>
      </Panel>
    </Stack>
  );
}

function LastRun({ last }: Pick<Timer, 'last'>) {
  if (last === null) return <span className="gr-dimmed">never</span>;
  return (
    <span title={last.worker}>
      <Time at={last.began_at} relative />
      {last.ended_at === null ? ', still running' : `, took ${tookText(last.took_ms ?? 0)}`}
    </span>
  );
}

function Did({ did }: Pick<Timer, 'did'>) {
  if (did === null) return <span className="gr-dimmed">nothing yet</span>;
  return (
    <div className="gr-one-line">
      {did.text} <Time at={did.at} relative />
    </div>
  );
}

function State({ timer: { state, pause, error } }: { timer: Timer }) {
  const [tone, word] = STATES[state];
  return (
    <>
      <StatusBadge tone={tone}>{word}</StatusBadge>
      {pause !== null && (
        <div className="gr-dimmed gr-name">
          until <Time at={pause.until} />, {pause.by}: <UserText>{pause.reason}</UserText>
        </div>
      )}
      {error !== null && (
        <div className="gr-dimmed" style={{ overflowWrap: 'anywhere' }}>
          <UserText>{error.message}</UserText> (<span className="gr-mono">{error.worker}</span>)
        </div>
      )}
    </>
  );
}

function Next({ timer: { last, pause, run_requested } }: { timer: Timer }) {
  if (run_requested) return <>as soon as a worker sees it</>;
  if (pause !== null) return <>after the pause</>;
  if (last?.next_at == null) return <span className="gr-dimmed">not known</span>;
  return Date.parse(last.next_at) - Date.now() < 60_000 ? (
    <>in a moment</>
  ) : (
    <Time at={last.next_at} relative />
  );
}

function Actions({ timer }: { timer: Timer }) {
  const may = useMay();
  const [requested, setRequested] = useState<Requested | null>(null);
  const { name, pause, always_runs } = timer;
  if (!may('queues.pause')) return null;
  const action = (what: Requested, label: string) => (
    <Button
      aria-label={`${label}: ${name}`}
      size="compact-sm"
      variant="default"
      onClick={() => setRequested(what)}
    >
      {label}
    </Button>
  );
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        {action('run', 'Run now')}
        {pause !== null && action('resume', 'Resume')}
        {always_runs === null ? (
          pause === null && action('pause', 'Pause')
        ) : (
          <span className="gr-dimmed gr-hint" title={always_runs}>
            always runs
          </span>
        )}
      </Group>
      {requested !== null && (
        <TimerDialog timer={timer} command={requested} onClose={() => setRequested(null)} />
      )}
    </div>
  );
}

const DIALOGS = {
  run: {
    title: 'Run now:',
    action: 'Run now',
    consequence: 'One worker begins within seconds. Its next scheduled run follows as usual.',
  },
  pause: {
    title: 'Pause',
    action: 'Pause',
    consequence:
      'No worker runs it until the pause ends or you resume it; a run in progress finishes. Its work waits.',
  },
  resume: { title: 'Resume', action: 'Resume', consequence: 'Every worker runs it within seconds.' },
} as const;

function TimerDialog({ timer, command, onClose }: { timer: Timer; command: Requested; onClose: () => void }) {
  const [minutes, setMinutes] = useState('60');
  const { title, action, consequence } = DIALOGS[command];
  const confirm = async (reason: string) => {
    if (command === 'pause') {
      const body = { minutes: Number(minutes), reason };
      await api.POST('/admin/timers/{timer}/pause', timer.name, body);
    } else if (command === 'resume') {
      await api.POST('/admin/timers/{timer}/resume', timer.name, { reason });
    } else {
      await api.POST('/admin/timers/{timer}/run', timer.name, { reason });
    }
    await refresh(timersQuery.queryKey);
  };
  return (
    <ActionDialog
      title={title}
      of={timer.name}
      consequence={
        <>
          <div>{timer.purpose}</div>
          {consequence}
        </>
      }
      action={action}
      fields={['minutes']}
      onConfirm={confirm}
      onClose={onClose}
    >
      {command === 'pause' && (
        <Choice label="Ends after" data={PERIODS} value={minutes} onPick={setMinutes} />
      )}
    </ActionDialog>
  );
}

function tookText(ms: number): string {
  return ms < 1_000 ? `${formatNumber(Math.round(ms))} ms` : durationText(ms / 1_000);
}

function periodText(secs: number): string {
  return secs < 1 ? `${formatNumber(secs * 1_000)} ms` : durationText(secs);
}
