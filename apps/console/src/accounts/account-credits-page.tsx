import { SimpleTable } from '../components/simple-table';
import { Button, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { type Schema, queryClient, refresh, useMay } from '../api/client';
import { Facts, Loaded, Panel } from '../components/page';
import { formatNumber, plural } from '../components/number';
import { useRequestedAction } from '../components/use-requested-action';
import { Time } from '../components/inline';
import { accountTab } from './account-screen';
import { BudgetsPanel } from './budgets-panel';
import { afterGrant } from '../components/after-change';
import { creditsQuery, customerText, movedText, RevertGrantButton, type OnMoved } from './grant-button';
import { LedgerPanel } from './ledger-panel';
import { CreditsDialog, type CreditsAction } from './credits-dialog';
import { PrepaidPanel, ReconciliationPanel } from './credits-panels';

export { firstQueries } from './account-screen';

type Credits = Schema['AccountCreditsResponse'];

const MOVES: [CreditsAction, string][] = [
  ['grant', 'Grant credits…'],
  ['adjustment', 'Adjust…'],
];
const REQUESTS: typeof MOVES = [['request', 'Request a credit…']];

export default accountTab(function Content({ account, mayWrite, onChanged }) {
  const may = useMay();
  const query = useQuery(creditsQuery(account.id));
  const [kind, setKind] = useRequestedAction<CreditsAction>();
  const [line, setLine] = useState<Schema['LedgerLineResponse']>();
  const open = (requested: CreditsAction | null, ofLine?: typeof line) => {
    setLine(ofLine);
    setKind(requested);
  };
  const mayRequest = account.status !== 'closed' && may('credits.request') && !may('accounts.write');
  const onMoved: OnMoved = (moved, saved) => {
    queryClient.setQueryData(['credits', account.id], saved);
    void refresh(['ledger', account.id]);
    const undo = <RevertGrantButton {...{ account, moved, onMoved }} />;
    onChanged(movedText(moved), saved.receipt, {
      undo,
      now: afterGrant(saved),
      forCustomer: customerText(moved),
    });
  };
  return (
    <>
      <Loaded query={query}>
        {(credits) => (
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
            <PeriodPanel
              credits={credits}
              actions={(mayWrite ? MOVES : mayRequest ? REQUESTS : []).map(([name, label], place) => (
                <Button
                  key={name}
                  size="xs"
                  variant={place === 0 ? 'filled' : 'default'}
                  onClick={() => open(name)}
                >
                  {label}
                </Button>
              ))}
            />
            {kind && (
              <CreditsDialog {...{ account, credits, kind, line, onMoved }} onClose={() => open(null)} />
            )}
            <PrepaidPanel
              account={account}
              prepaid={credits.prepaid}
              mayChange={mayWrite}
              actions={
                mayWrite && (
                  <Button size="xs" variant="default" onClick={() => open('prepaid')}>
                    Grant prepaid credits…
                  </Button>
                )
              }
              onRevoked={(text, saved) => {
                queryClient.setQueryData(['credits', account.id], saved);
                onChanged(text, saved.receipt);
              }}
            />
            <ReconciliationPanel credits={credits} />
            {credits.past_periods.length > 0 && <PastPeriods periods={credits.past_periods} />}
          </SimpleGrid>
        )}
      </Loaded>
      <BudgetsPanel accountId={account.id} keys={query.data?.keys ?? []} mayChange={mayWrite} />
      <LedgerPanel
        accountId={account.id}
        keys={query.data?.keys ?? []}
        archived={query.data?.archived ?? null}
        onRequest={mayRequest ? (charge) => open('request', charge) : undefined}
      />
    </>
  );
});

function PeriodPanel({ credits, actions }: { credits: Credits; actions: ReactNode }) {
  const { credit_limit, granted, used, held, remaining, prepaid, period_start, period_end } = credits;
  return (
    <Panel title="This billing period" actions={actions}>
      <Facts
        facts={[
          ['Left', <strong>{remaining === null ? 'no limit' : formatNumber(remaining)}</strong>],
          ['Limit', credit_limit === null ? 'none' : formatNumber(credit_limit)],
          ['Granted', formatNumber(granted - prepaid.used)],
          [
            'Prepaid, used and left',
            prepaid.grants.length === 0
              ? 'none'
              : `${formatNumber(prepaid.used)}, ${formatNumber(prepaid.left)}`,
          ],
          ['Used', formatNumber(used - held)],
          ['Held for running work', formatNumber(held)],
          [
            'Period',
            <>
              <Time at={period_start} dateOnly /> to <Time at={period_end} dateOnly />
            </>,
          ],
        ]}
      />
    </Panel>
  );
}

function PastPeriods({ periods }: { periods: Credits['past_periods'] }) {
  return (
    <Panel title="Earlier periods" gap="xs">
      <SimpleTable
        name="Earlier periods"
        rows={periods}
        rowId={({ period_start }) => period_start}
        columns={[
          { header: 'Began', cell: ({ period_start }) => <Time at={period_start} dateOnly /> },
          { header: 'Used', number: true, cell: ({ used }) => formatNumber(used) },
          {
            header: 'Limit',
            number: true,
            cell: ({ credit_limit }) => (credit_limit === null ? 'none' : formatNumber(credit_limit)),
          },
          {
            header: 'Granted',
            number: true,
            cell: ({ granted, prepaid_used }) => formatNumber(granted - prepaid_used),
          },
          { header: 'Prepaid', number: true, cell: ({ prepaid_used }) => formatNumber(prepaid_used) },
        ]}
      />
      <span className="gr-dimmed">{plural(periods.length, 'period')}, newest first.</span>
    </Panel>
  );
}
