import { Group, Stack } from '@mantine/core';
import { Choice } from '../components/fields';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema, refresh, useMay } from '../api/client';
import { ActionButton } from '../components/action-dialog';
import { named } from '../components/list-filters';
import { PageHeader, Panel } from '../components/page';
import { Person, UserText, Time, StatusBadge, type Tone } from '../components/inline';
import { LoadedTable } from '../components/simple-table';
import { secondsText } from '../components/times-text';
import { timersQuery } from './queue-queries';

type Timer = Schema['TimerResponse'];

const STATES: Record<Timer['state'], [Tone, string]> = {
  on_time: ['good', 'on time'],
  late: ['bad', 'late'],
  failing: ['bad', 'failing'],
  paused: ['warn', 'paused'],
  waiting: ['calm', 'not run yet'],
};

const PERIODS = named({ 15: '15 minutes', 60: '1 hour', 240: '4 hours', 1440: '1 day' });

export default function TimersPage() {
  const query = useQuery({ ...timersQuery, refetchInterval: 3_000 });
  return (
    <Stack>
      <PageHeader
        title="Timers"
        hint="What workers do at regular intervals. The result of a run appears a few seconds later."
      />
      <Panel>
        <LoadedTable
          name="Timers"
          query={query}
          empty={['No timer is known']}
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
                    <span className="gr-dimmed">, every {secondsText(timer.every_secs)}</span>
                  )}
                </>
              ),
            },
            { header: '', cell: (timer) => <Actions timer={timer} /> },
          ]}
        />
      </Panel>
    </Stack>
  );
}

function LastRun({ last }: Pick<Timer, 'last'>) {
  if (last === null) return <span className="gr-dimmed">never</span>;
  return (
    <span title={last.worker}>
      <Time at={last.began_at} relative />
      {last.ended_at === null ? ', still running' : `, took ${secondsText((last.took_ms ?? 0) / 1_000)}`}
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
          until <Time at={pause.until} />, <Person by={pause.by} />: <UserText>{pause.reason}</UserText>
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
  const { pause, always_runs: always } = timer;
  if (!useMay()('queues.pause')) return null;
  return (
    <Group gap="xs" wrap="nowrap">
      <CommandButton timer={timer} command="run" />
      {pause !== null && <CommandButton timer={timer} command="resume" />}
      {always === null && pause === null && <CommandButton timer={timer} command="pause" />}
      {always !== null && (
        <span className="gr-dimmed gr-hint" title={always}>
          always runs
        </span>
      )}
    </Group>
  );
}

const COMMANDS = {
  run: {
    title: 'Run now',
    consequence: 'One worker begins within seconds. Its next scheduled run follows as usual.',
  },
  pause: {
    title: 'Pause',
    consequence:
      'No worker runs it until the pause ends or you resume it; a run in progress finishes. Its work waits.',
  },
  resume: { title: 'Resume', consequence: 'Every worker runs it within seconds.' },
} as const;

function CommandButton(props: { timer: Timer; command: keyof typeof COMMANDS }) {
  const {
    timer: { name, purpose },
    command,
  } = props;
  const [minutes, setMinutes] = useState('60');
  const { title, consequence } = COMMANDS[command];
  const confirm = async (reason: string) => {
    if (command === 'pause')
      await api.POST('/admin/timers/{timer}/pause', name, { minutes: Number(minutes), reason });
    else await api.POST(`/admin/timers/{timer}/${command}`, name, { reason });
    await refresh(timersQuery.queryKey);
  };
  return (
    <ActionButton
      label={title}
      name={`${title}: ${name}`}
      title={title}
      of={name}
      consequence={
        <>
          <div>{purpose}</div>
          {consequence}
        </>
      }
      fields={['minutes']}
      onConfirm={confirm}
    >
      {command === 'pause' && (
        <Choice label="Ends after" data={PERIODS} value={minutes} onPick={setMinutes} />
      )}
    </ActionButton>
  );
}
