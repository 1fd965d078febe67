import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { read, type Schema, queryClient, useMay } from '../api/client';
import { plural } from '../components/number';
import { Dialog } from '../components/dialog';
import { Loaded, Loading } from '../components/page';
import { afterGrant } from '../components/after-change';
import { Part } from '../components/part';
import { ReceiptBanner } from '../components/banner';
import { lazyScreen } from '../api/lazy-screen';
import type { Moved } from './credits-dialog';

const CreditsDialog = lazyScreen(() => import('./credits-dialog'), 'CreditsDialog');

export const creditsQuery = (id: string) => read(['credits', id], '/admin/accounts/{account_id}/credits', id);

interface Owner {
  id: string;
  name: string;
}

export type OnMoved = (moved: Moved, saved: Schema['AccountCreditsResponse']) => void;

/** Credits that were granted to an account of a list, or adjusted. */
export interface Granted {
  account: Owner;
  moved: Moved;
  now?: string;
}

export function GrantButton(props: {
  account: Owner & { status: string };
  primary?: boolean;
  onDone: (done: Granted) => void;
}) {
  const { account, primary = false, onDone } = props;
  const may = useMay();
  if (!may('accounts.write') || account.status === 'closed') return null;
  return (
    <MoveButton
      account={account}
      label="Grant…"
      primary={primary}
      onMoved={(moved, saved) => onDone({ account, moved, now: afterGrant(saved) })}
    />
  );
}

/** Opens the dialog on the account as it is now; or takes back a grant. */
function MoveButton(props: {
  account: Owner;
  label: string;
  primary?: boolean;
  reverts?: Moved;
  onMoved: OnMoved;
}) {
  const { label, primary = false, reverts, onMoved } = props;
  const { id, name } = props.account;
  const [isOpen, dialog] = useDisclosure();
  const credits = useQuery({ ...creditsQuery(id), enabled: isOpen });
  const account = useQuery({
    ...read(['account', id], '/admin/accounts/{account_id}', id),
    enabled: isOpen,
    staleTime: 0,
  });
  const missing = [credits, account].find(({ data }) => data === undefined);
  const title = reverts ? 'Take back' : 'Grant credits';
  const waiting = (
    <Dialog title={title} of={name} wide discards onClose={dialog.close}>
      {missing ? <Loaded query={missing as UseQueryResult}>{() => null}</Loaded> : <Loading />}
    </Dialog>
  );
  return (
    <>
      <Button
        size="compact-sm"
        variant={primary ? 'filled' : 'default'}
        aria-label={`${title}: ${name}`}
        onClick={dialog.open}
      >
        {label}
      </Button>
      {isOpen && !(credits.data && account.data) && waiting}
      {isOpen && credits.data && account.data && (
        <Part waiting={waiting}>
          <CreditsDialog
            account={account.data}
            credits={credits.data}
            kind={reverts ? 'adjustment' : 'grant'}
            reverts={reverts}
            onMoved={(moved, saved) => {
              onMoved(moved, saved);
              void queryClient.invalidateQueries();
            }}
            onClose={dialog.close}
          />
        </Part>
      )}
    </>
  );
}

export function RevertGrantButton({ account, moved, onMoved }: Granted & { onMoved: OnMoved }) {
  if (moved.kind !== 'grant') return null;
  return <MoveButton account={account} label="Take them back…" reverts={moved} onMoved={onMoved} />;
}

export function GrantedBanner({ account, ...granted }: Granted) {
  const [{ moved: last, now }, setLast] = useState<Omit<Granted, 'account'>>(granted);
  const onMoved: OnMoved = (moved, saved) => setLast({ moved, now: afterGrant(saved) });
  return (
    <ReceiptBanner
      of={account.name}
      forCustomer={customerText(last)}
      now={now}
      undo={<RevertGrantButton {...{ account, moved: last, onMoved }} />}
    >
      {movedText(last)}
    </ReceiptBanner>
  );
}

export function customerText({ kind, amount }: Moved): string | undefined {
  if (kind === 'prepaid')
    return `Your account has ${plural(amount, 'credit')} more, which do not end with its billing period.`;
  return kind === 'grant'
    ? `Your account has ${plural(amount, 'credit')} more until its billing period ends.`
    : undefined;
}

export function movedText({ kind, amount }: Moved): string {
  if (kind === 'prepaid') return `${plural(amount, 'prepaid credit')} granted.`;
  if (kind === 'grant') return `${plural(amount, 'credit')} granted for this period.`;
  return amount > 0 ? `${plural(amount, 'credit')} returned.` : `${plural(-amount, 'credit')} charged.`;
}
