import { Button, NativeSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { AccountName } from '../components/account-name';
import { ActionsHead } from '../components/actions-head';
import { ActionDialog } from '../components/action-dialog';
import { Empty, Loaded } from '../components/loading';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { useMay } from '../session/me';
import { durationText } from './duration';
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
    title: 'Hold the reviews of',
    action: 'Hold',
    consequence:
      'No further review of this account starts until the hold ends or is released. Reviews that are already in the queue finish. New voices are accepted and wait.',
  },
  behind: {
    title: 'Move behind all others:',
    action: 'Move behind',
    consequence:
      'Reviews of this account start only while no other account waits, until this ends or is released.',
  },
} as const;

/** Whose reviews wait and run. */
export function AccountsPanel() {
  const query = useQuery({ ...waitingAccountsQuery, refetchInterval: EVERY_MS });
  return (
    <Panel title="Who waits">
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No account waits">Every review that was requested has ended.</Empty>
          ) : (
            <div className="gr-scroll">
              <table className="gr-table gr-stacks" aria-label="Who waits">
                <thead>
                  <tr>
                    <th>Account</th>
                    <th>Waiting</th>
                    <th>Running</th>
                    <th>Order</th>
                    <ActionsHead />
                  </tr>
                </thead>
                <tbody>
                  {items.map((waiting) => (
                    <AccountRow key={waiting.account.id} waiting={waiting} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

function AccountRow({ waiting }: { waiting: Waiting }) {
  const may = useMay();
  const [asked, setAsked] = useState<'held' | 'behind' | 'release' | null>(null);
  const { account, hold } = waiting;
  const name = account.name ?? account.id;
  const close = () => setAsked(null);
  return (
    <tr>
      <td data-label="Account">
        <div>
          <AccountName account={account} />
          {account.tier !== null && <div className="gr-dimmed">{account.tier}</div>}
        </div>
      </td>
      <td data-label="Waiting">{waitingText(waiting)}</td>
      <td data-label="Running">
        {waiting.running === 0
          ? 'none'
          : `${formatNumber(waiting.running)}, for up to ${durationText(waiting.longest_running_secs ?? 0)}`}
      </td>
      <td data-label="Order">
        {hold === null ? (
          'in turn'
        ) : (
          <div>
            <StatusBadge tone={hold.kind === 'held' ? 'bad' : 'warn'}>
              {hold.kind === 'held' ? 'held' : 'behind others'}
            </StatusBadge>{' '}
            until <Time at={hold.ends_at} />
            <div className="gr-dimmed gr-name">
              {hold.set_by}: {hold.reason}
            </div>
          </div>
        )}
      </td>
      <td>
        {may('queues.pause') && (
          <div>
            {hold !== null && (
              <Button
                aria-label={`Release: ${name}`}
                size="compact-sm"
                variant="default"
                onClick={() => setAsked('release')}
              >
                Release
              </Button>
            )}{' '}
            {hold?.kind !== 'behind' && (
              <Button
                aria-label={`Move behind: ${name}`}
                size="compact-sm"
                variant="default"
                onClick={() => setAsked('behind')}
              >
                Move behind
              </Button>
            )}{' '}
            {hold?.kind !== 'held' && (
              <Button
                aria-label={`Hold: ${name}`}
                size="compact-sm"
                variant="default"
                onClick={() => setAsked('held')}
              >
                Hold
              </Button>
            )}
          </div>
        )}
        {asked === 'release' && <ReleaseDialog id={account.id} name={name} onClose={close} />}
        {(asked === 'held' || asked === 'behind') && (
          <HoldDialog id={account.id} name={name} kind={asked} onClose={close} />
        )}
      </td>
    </tr>
  );
}

function waitingText({ waiting_turn, in_queue, oldest_waiting_secs }: Waiting): string {
  if (waiting_turn + in_queue === 0) return 'none';
  const inQueue = waiting_turn === 0 ? '' : ` (${formatNumber(in_queue)} in the queue)`;
  return `${plural(waiting_turn + in_queue, 'review')}${inQueue}, the oldest for ${durationText(oldest_waiting_secs ?? 0)}`;
}

interface DialogProps {
  id: string;
  name: string;
  onClose: () => void;
}

function HoldDialog({ id, name, kind, onClose }: DialogProps & { kind: 'held' | 'behind' }) {
  const queryClient = useQueryClient();
  const [minutes, setMinutes] = useState('60');
  const { title, action, consequence } = ACTIONS[kind];
  const confirm = async (reason: string) => {
    const given = { params: { path: { account_id: id } }, body: { kind, minutes: Number(minutes), reason } };
    await unwrap(api.POST('/admin/queues/accounts/{account_id}/hold', given));
    await queryClient.invalidateQueries({ queryKey: waitingAccountsQuery.queryKey });
  };
  return (
    <ActionDialog
      title={`${title} ${name}`}
      consequence={consequence}
      action={action}
      danger={kind === 'held'}
      fields={['minutes', 'kind']}
      onConfirm={confirm}
      onClose={onClose}
    >
      <NativeSelect
        label="Ends after"
        data={PERIODS}
        value={minutes}
        onChange={(event) => setMinutes(event.currentTarget.value)}
      />
    </ActionDialog>
  );
}

function ReleaseDialog({ id, name, onClose }: DialogProps) {
  const queryClient = useQueryClient();
  const confirm = async (reason: string) => {
    const given = { params: { path: { account_id: id } }, body: { reason } };
    await unwrap(api.POST('/admin/queues/accounts/{account_id}/release', given));
    await queryClient.invalidateQueries({ queryKey: waitingAccountsQuery.queryKey });
  };
  return (
    <ActionDialog
      title={`Release the reviews of ${name}`}
      consequence="They take their turns with those of all other accounts again."
      action="Release"
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
