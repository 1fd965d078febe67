import { Button, Group } from '@mantine/core';
import { Choice } from '../components/choice';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema, refresh } from '../api/client';
import { AccountName } from '../components/name';
import { ActionDialog } from '../components/action-dialog';
import { Empty, Loaded, Panel } from '../components/page';
import { formatNumber, plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { StatusBadge } from '../components/banner';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import { durationText } from '@app/domain/common/duration-text';
import { waitingAccountsQuery } from './queue-queries';

type Waiting = Schema['WaitingAccountResponse'];

const EVERY_MS = 5_000;

const PERIODS = [
  { value: '60', label: '1 hour' },
  { value: '240', label: '4 hours' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '7 days' },
];

const ACTIONS = {
  held: {
    title: 'Hold the reviews',
    action: 'Hold',
    consequence:
      'No further review of this account starts until the hold ends or is released. Reviews that are already in the queue finish. New voices are accepted and wait.',
  },
  behind: {
    title: 'Move behind all others',
    action: 'Move behind',
    consequence:
      'Reviews of this account start only while no other account waits, until this ends or is released.',
  },
} as const;

/** Whose reviews wait and run. */
export function AccountsPanel() {
  const may = useMay();
  const query = useQuery({ ...waitingAccountsQuery, refetchInterval: EVERY_MS });
  return (
    <Panel title="Who waits">
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No account waits">Every review that was requested has ended.</Empty>
          ) : (
            <SimpleTable
              name="Who waits"
              rows={items}
              rowId={({ account }) => account.id}
              columns={[
                {
                  header: 'Account',
                  cell: ({ account, hold }) => (
                    <>
                      <AccountName account={account} />
                      {account.tier !== null && <span className="gr-dimmed"> {account.tier}</span>}
                      <Order hold={hold} />
                    </>
                  ),
                },
                {
                  header: 'Waiting',
                  cell: (waiting) => (
                    <>
                      <div>{waitingText(waiting)}</div>
                      <div className="gr-dimmed">{runningText(waiting)}</div>
                    </>
                  ),
                },
                may('queues.pause') && { header: '', cell: (waiting) => <Actions waiting={waiting} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Order({ hold }: Pick<Waiting, 'hold'>) {
  if (hold === null) return null;
  return (
    <div>
      <StatusBadge tone={hold.kind === 'held' ? 'bad' : 'warn'}>
        {hold.kind === 'held' ? 'held' : 'behind others'}
      </StatusBadge>{' '}
      until <Time at={hold.ends_at} />
      <div className="gr-dimmed gr-name">
        {hold.set_by}: {hold.reason}
      </div>
    </div>
  );
}

function Actions({ waiting: { account, hold } }: { waiting: Waiting }) {
  const [requested, setRequested] = useState<'held' | 'behind' | 'release' | null>(null);
  const name = account.name ?? account.id;
  const close = () => setRequested(null);
  const choices = [
    ...(hold === null ? [] : [['release', 'Release'] as const]),
    ...(hold?.kind === 'behind' ? [] : [['behind', 'Move behind'] as const]),
    ...(hold?.kind === 'held' ? [] : [['held', 'Hold'] as const]),
  ];
  return (
    <Group gap={4}>
      {choices.map(([choice, label]) => (
        <Button
          key={choice}
          aria-label={`${label}: ${name}`}
          size="compact-sm"
          variant="default"
          onClick={() => setRequested(choice)}
        >
          {label}
        </Button>
      ))}
      {requested === 'release' && <ReleaseDialog id={account.id} name={name} onClose={close} />}
      {(requested === 'held' || requested === 'behind') && (
        <HoldDialog id={account.id} name={name} kind={requested} onClose={close} />
      )}
    </Group>
  );
}

function waitingText({ waiting_turn, in_queue, oldest_waiting_secs }: Waiting): string {
  if (waiting_turn + in_queue === 0) return 'none';
  const inQueue = waiting_turn === 0 ? '' : ` (${formatNumber(in_queue)} in the queue)`;
  return `${plural(waiting_turn + in_queue, 'review')}${inQueue}, the oldest for ${durationText(oldest_waiting_secs ?? 0)}`;
}

function runningText({ running, longest_running_secs: secs, retrying }: Waiting): string {
  const now =
    running === 0 ? 'none runs' : `${formatNumber(running)} running, for up to ${durationText(secs ?? 0)}`;
  return retrying === 0 ? now : `${now}, ${plural(retrying, 'review')} before the next attempt`;
}

interface DialogProps {
  id: string;
  name: string;
  onClose: () => void;
}

function HoldDialog({ id, name, kind, onClose }: DialogProps & { kind: 'held' | 'behind' }) {
  const [minutes, setMinutes] = useState('60');
  const { title, action, consequence } = ACTIONS[kind];
  const confirm = async (reason: string) => {
    await api.POST('/admin/queues/accounts/{account_id}/hold', id, {
      kind,
      minutes: Number(minutes),
      reason,
    });
    await refresh(waitingAccountsQuery.queryKey);
  };
  return (
    <ActionDialog
      title={title}
      of={name}
      consequence={consequence}
      action={action}
      danger={kind === 'held'}
      fields={['minutes', 'kind']}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Choice label="Ends after" data={PERIODS} value={minutes} onPick={setMinutes} />
    </ActionDialog>
  );
}

function ReleaseDialog({ id, name, onClose }: DialogProps) {
  const confirm = async (reason: string) => {
    await api.POST('/admin/queues/accounts/{account_id}/release', id, { reason });
    await refresh(waitingAccountsQuery.queryKey);
  };
  return (
    <ActionDialog
      title="Release the reviews"
      of={name}
      consequence="They take their turns with those of all other accounts again."
      action="Release"
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
