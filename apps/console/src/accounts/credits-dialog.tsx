import { adjustmentBounds, type CreditKind } from '@app/domain/credits/credit-adjustment';
import { NativeSelect, TextInput } from '@mantine/core';
import { api, type Schema } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { plainName, Time } from '../components/inline';
import { Banner } from '../components/banner';
import { fromLocalInput, toNumber, useFields } from '../components/fields';
import { formatNumber, humanize, plural, signed } from '../components/number';

export interface Moved {
  kind: CreditKind;
  amount: number;
  keyId: string | null;
}

type Credits = Schema['AccountCreditsResponse'];
/** Of the account, or of one of its keys. */
type Balance = Pick<Credits, 'credit_limit' | 'granted' | 'used' | 'held' | 'remaining'>;

/** Requests are decided by who may grant. */
export type CreditsAction = CreditKind | 'request';

/** Grants credits for this period, or prepaid ones, or requests it of who may, or corrects what was used; says what will be left before anything is done. */
export function CreditsDialog(
  props: Closing & {
    account: { id: string; name: string; version: number };
    credits: Credits;
    kind: CreditsAction;
    line?: Schema['LedgerLineResponse'];
    reverts?: Moved;
    onMoved: (moved: Moved, saved: Credits) => void;
  },
) {
  const { account, credits, kind, reverts, line, onMoved, onClose } = props;
  const fields = useFields({
    amount: reverts ? String(-reverts.amount) : line ? String(Math.abs(line.amount)) : '',
    key_id: reverts?.keyId ?? line?.key_id ?? '',
    ends_at: '',
  });
  const { approval_above } = credits;
  const amount = toNumber(fields.values.amount);
  const isPrepaid = kind === 'prepaid';
  const endsAt = fromLocalInput(fields.values.ends_at);
  const confirm = async (reason: string) => {
    const key_id = fields.values.key_id || null;
    if (kind === 'request') {
      const path = '/admin/accounts/{account_id}/credit-requests';
      const body = {
        kind: 'grant' as const,
        amount: amount ?? 0,
        key_id,
        ledger_line_id: line?.id ?? null,
        reason,
      };
      return api.POST(path, account.id, body);
    }
    const body = { kind, amount: amount ?? 0, key_id, ...(isPrepaid && { ends_at: endsAt }), reason };
    const saved = await api.POST('/admin/accounts/{account_id}/credits', account.id, body, account);
    return onMoved({ kind, amount: body.amount, keyId: key_id }, saved);
  };
  const key = credits.keys.find(({ key_id }) => key_id === fields.values.key_id);
  return (
    <ActionDialog
      title={titleOf(kind, amount, reverts)}
      of={account.name}
      consequence={
        kind !== 'adjustment' ? (
          <>
            {line && (
              <p>
                For {humanize(line.operation)}, {signed(line.amount)} on <Time at={line.at} />.
              </p>
            )}
            {isPrepaid ? (
              'They are used behind the credits of each billing period, those that end first before the others.'
            ) : (
              <>
                They are added to the limit{' '}
                {kind === 'request' ? 'once an account manager or an administrator approves' : 'at once'} and
                end with the period, on <Time at={credits.period_end} dateOnly />.
              </>
            )}
          </>
        ) : (
          'Corrects what was used in this period: a positive number gives credits back, a negative one charges them.'
        )
      }
      action={{ grant: 'Grant', prepaid: 'Grant', adjustment: 'Adjust', request: 'Send the request' }[kind]}
      form={fields}
      disabled={amount === null}
      onConfirm={confirm}
      onClose={onClose}
    >
      <TextInput
        label="Credits"
        inputMode="numeric"
        required
        description={boundsText(kind, credits, key)}
        {...fields.text('amount')}
      />
      {isPrepaid && (
        <TextInput
          type="datetime-local"
          label="End"
          description="Empty for credits that do not end"
          {...fields.text('ends_at')}
        />
      )}
      {!isPrepaid && (
        <NativeSelect
          label="Counts for"
          data={[
            { value: '', label: 'The account only' },
            ...credits.keys.map(({ key_id, name }) => ({
              value: key_id,
              label: `The account and the key ${plainName(name).slice(0, 60)}`,
            })),
          ]}
          {...fields.text('key_id')}
        />
      )}
      {typeof amount === 'number' && amount !== 0 && (
        <Banner title="What will be left">
          <div>{outcomeText('The account', credits, amount)}</div>
          {key && <div>{outcomeText('The key', key, amount)}</div>}
        </Banner>
      )}
      {kind !== 'request' && approval_above !== null && (amount ?? 0) > approval_above && (
        <Banner tone="warn" title="This waits for a second person.">
          More than {plural(approval_above, 'credit')} at once: another account manager or an administrator
          approves them.
        </Banner>
      )}
    </ActionDialog>
  );
}

function boundsText(kind: CreditsAction, account: Balance, key: Balance | undefined): string {
  if (kind !== 'adjustment') return 'A whole number above zero.';
  const bounds = [account, ...(key ? [key] : [])].map((balance) =>
    adjustmentBounds(kind, { ...balance, creditLimit: balance.credit_limit }),
  );
  const min = Math.max(...bounds.map((one) => one.min));
  const max = Math.min(...bounds.map((one) => one.max));
  return `From ${formatNumber(min)} to ${formatNumber(max)}.`;
}

function outcomeText(whose: string, { remaining }: Balance, amount: number): string {
  if (remaining === null) return `${whose} has no separate limit, so what is left does not change.`;
  const after = remaining + amount;
  return `${whose}: ${formatNumber(remaining)} now, ${formatNumber(Math.max(0, after))} afterwards.`;
}

function titleOf(kind: CreditsAction, amount: number | null, reverts: Moved | undefined): string {
  const some = (noun: string) => (typeof amount === 'number' ? plural(amount, noun) : `${noun}s`);
  if (kind === 'prepaid') return `Grant ${some('prepaid credit')}`;
  if (kind !== 'adjustment')
    return `${kind === 'grant' ? 'Grant' : 'Request'} ${some('credit')} for this period`;
  return reverts ? `Take back ${plural(reverts.amount, 'credit')}` : 'Adjust the credits used';
}
