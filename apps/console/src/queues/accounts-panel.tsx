import { Group } from '@mantine/core';
import { Choice } from '../components/fields';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema, refresh, useMay } from '../api/client';
import { named } from '../components/list-filters';
import { Noted, Person, AccountName, Time, StatusBadge } from '../components/inline';
import { ActionButton } from '../components/action-dialog';
import { Panel } from '../components/page';
import { formatNumber, plural } from '../components/number';
import { LoadedTable } from '../components/simple-table';
import { durationText } from '@app/domain/common/duration-text';
import { waitingAccountsQuery } from './queue-queries';

type Waiting = Schema['WaitingAccountResponse'];

const PERIODS = named({ 60: '1 hour', 240: '4 hours', 1440: '1 day', 10080: '7 days' });

const ACTIONS = {
  release: {
    label: 'Release',
    title: 'Release the reviews',
    consequence: 'They take their turns with those of all other accounts again.',
  },
  behind: {
    label: 'Move behind',
    title: 'Move behind all others',
    consequence:
      'Reviews of this account start only while no other account waits, until this ends or is released.',
  },
  held: {
    label: 'Hold',
    title: 'Hold the reviews',
    consequence:
      'No further review of this account starts until the hold ends or is released. Reviews that are already in the queue finish. New voices are accepted and wait.',
  },
} as const;

export function AccountsPanel() {
  const may = useMay();
  const query = useQuery({ ...waitingAccountsQuery, refetchInterval: 5_000 });
  return (
    <Panel title="Who waits">
      <LoadedTable
        name="Who waits"
        query={query}
        empty={['No account waits', 'Every review that was requested has ended.']}
        rowId={({ account }) => account.id}
        columns={[
          {
            header: 'Account',
            cell: ({ account, hold }) => (
              <>
                <AccountName account={account} />
                {account.tier !== null && <span className="gr-dimmed"> {account.tier}</span>}
                {hold && <Order hold={hold} />}
              </>
            ),
          },
          {
            header: 'Waiting',
            cell: (waiting) => <Noted note={runningText(waiting)}>{waitingText(waiting)}</Noted>,
          },
          may('queues.pause') && { header: '', cell: (waiting) => <Actions waiting={waiting} /> },
        ]}
      />
    </Panel>
  );
}

function Order({ hold }: { hold: NonNullable<Waiting['hold']> }) {
  return (
    <div>
      <StatusBadge tone={hold.kind === 'held' ? 'bad' : 'warn'}>
        {hold.kind === 'held' ? 'held' : 'behind others'}
      </StatusBadge>{' '}
      until <Time at={hold.ends_at} />
      <div className="gr-dimmed gr-name">
        <Person by={hold.set_by} />: {hold.reason}
      </div>
    </div>
  );
}

function Actions({ waiting: { account, hold } }: { waiting: Waiting }) {
  const kinds = (['release', 'behind', 'held'] as const).filter((kind) =>
    kind === 'release' ? hold !== null : hold?.kind !== kind,
  );
  return (
    <Group gap={4}>
      {kinds.map((kind) => (
        <OrderButton key={kind} id={account.id} name={account.name ?? account.id} kind={kind} />
      ))}
    </Group>
  );
}

function OrderButton({ id, name, kind }: { id: string; name: string; kind: keyof typeof ACTIONS }) {
  const [minutes, setMinutes] = useState('60');
  const { label, ...words } = ACTIONS[kind];
  const at = '/admin/queues/accounts/{account_id}';
  const confirm = async (reason: string) => {
    if (kind === 'release') await api.POST(`${at}/release`, id, { reason });
    else await api.POST(`${at}/hold`, id, { kind, minutes: Number(minutes), reason });
    await refresh(waitingAccountsQuery.queryKey);
  };
  return (
    <ActionButton
      {...words}
      label={label}
      name={`${label}: ${name}`}
      of={name}
      action={label}
      danger={kind === 'held'}
      fields={['minutes', 'kind']}
      onConfirm={confirm}
    >
      {kind !== 'release' && <Choice label="Ends after" data={PERIODS} value={minutes} onPick={setMinutes} />}
    </ActionButton>
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
