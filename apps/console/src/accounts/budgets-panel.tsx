import { windowName } from '@app/domain/credits/budget';
import { useQuery } from '@tanstack/react-query';
import { api, read, type Schema } from '../api/client';
import { KeyName, Name, plainName, UserText, Time } from '../components/inline';
import { Banner } from '../components/banner';
import { EditableList } from '../components/editable-list';
import { formatNumber, plural } from '../components/number';
import { Part } from '../components/part';
import { SettingUndos } from '../components/undo-banner';
import { UsageBar } from '../components/meter';
import { lazyScreen } from '../api/lazy-screen';

type Budget = Schema['BudgetResponse'];
type Key = Schema['AccountCreditsResponse']['keys'][number];

const ONE = '/admin/accounts/{account_id}/budgets/{budget_id}';

const BudgetDialog = lazyScreen(() => import('./budget-dialog'), 'BudgetDialog');

export function BudgetsPanel(props: { accountId: string; keys: readonly Key[]; mayChange: boolean }) {
  const { accountId, keys, mayChange } = props;
  const account_id = accountId;
  const query = useQuery(read(['budgets', accountId], '/admin/accounts/{account_id}/budgets', accountId));
  return (
    <EditableList
      title="Budgets"
      noun="budget"
      empty={['No budgets', 'Charges are held to the limits of the account and of its keys only.']}
      query={query}
      notices={(budget, onDone) => (
        <SettingUndos
          undos={budget.undo ? [budget.undo] : []}
          of={budget.name}
          queryKey={['budgets', accountId]}
          mayWrite={mayChange}
          onDecide={async (_amount, { action, reason, text }) => {
            const params = { account_id, budget_id: budget.id };
            await api.POST(`${ONE}/${action}`, params, { reason }, budget);
            await onDone(text, plainName(budget.name));
          }}
        />
      )}
      mayChange={mayChange}
      actions={[
        {
          verb: 'Delete',
          title: 'Delete the budget',
          consequence: 'Charges are no longer held to it. What it has counted stays in the ledger.',
          danger: true,
          send: (budget, reason) => api.DELETE(ONE, { account_id, budget_id: budget.id }, { reason }, budget),
          done: 'The budget was deleted.',
        },
      ]}
      nameOf={({ name }) => plainName(name).slice(0, 80)}
      columns={[
        { header: 'Name', cell: ({ name }) => <Name>{name}</Name> },
        { header: 'Counts', cell: (budget) => <Subject budget={budget} keys={keys} /> },
        {
          header: 'Used',
          cell: ({ left, used, amount }) =>
            left === null ? (
              `${formatNumber(used)} by all, ${plural(amount, 'credit')} each`
            ) : (
              <UsageBar used={used} limit={amount} unit="credits" />
            ),
        },
        {
          header: 'Renews',
          cell: ({ window, renews_at, time_zone }) => (
            <>
              every {windowName(window)}, next <Time at={renews_at} />
              {time_zone !== 'UTC' && ` (${time_zone})`}
            </>
          ),
        },
      ]}
      dialog={({ row: budget, ...rest }) => (
        <Part>
          <BudgetDialog {...{ accountId, keys, budget, ...rest }} />
        </Part>
      )}
    />
  );
}

function Subject(props: { budget: Budget; keys: readonly Key[] }) {
  const { subject, key_id, tag, operations, warning } = props.budget;
  return (
    <>
      {subject === 'account' && 'the whole account'}
      {subject === 'end_user' && 'each end user'}
      {tag !== null && (
        <>
          keys with the tag <UserText>{tag}</UserText>
        </>
      )}
      {key_id !== null && (
        <KeyName id={key_id} name={props.keys.find((key) => key.key_id === key_id)?.name ?? 'one key'} />
      )}
      {operations !== null && `, only for ${operations.join(', ')}`}
      {warning !== null && <Banner tone="warn">{warning}</Banner>}
    </>
  );
}
