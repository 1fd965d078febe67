import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type Schema, useMay } from '../api/client';
import type { Column } from '../components/data-table';
import { FilteredList } from '../components/filtered-list';
import { LABEL_FILTERS, MANAGER_FILTER, Tags } from '../components/labels';
import type { Filter } from '../components/list-filters';
import { listing, useListing } from '../components/list-search';
import { Name, StatusBadge } from '../components/inline';
import { numberOrZero } from '../components/meter';
import { formatNumber } from '../components/number';
import { NearestNames } from '../components/nearest-names';
import { PageHeader, Panel } from '../components/page';
import { Part } from '../components/part';
import { type Preset } from '../components/saved-views';
import { lazyScreen } from '../api/lazy-screen';
import { AccountBadge, AccountManagerName } from './account-badge';
import { CreditsMeter, FourteenDays, Lasts, percentOf, toneOf } from './standing';
import { GrantButton, GrantedBanner, type Granted } from './grant-button';

const CreateAccountDialog = lazyScreen(() => import('./account-form'), 'CreateAccountDialog');

type Account = Schema['ListedAccountResponse'];

const COLUMNS: Column<Account>[] = [
  {
    header: 'Name',
    sort: 'name',
    cell: ({ id, name, tags }) => (
      <>
        <Link to={`/accounts/${id}`}>
          <Name>{name}</Name>
        </Link>
        <Tags tags={tags} to="/accounts" />
      </>
    ),
  },
  {
    header: 'Used',
    number: true,
    wide: 'tablet',
    cell: ({ standing }) => numberOrZero(standing.credits.used),
  },
  {
    id: 'credits',
    header: 'Share',
    sort: 'credit_share',
    cell: ({ standing: { credits } }) => (
      <Group gap={6} wrap="nowrap">
        <Text span inherit hiddenFrom="sm">
          {percentOf(credits)} %
        </Text>
        <CreditsMeter credits={credits} />
      </Group>
    ),
  },
  {
    header: 'Limit',
    number: true,
    wide: 'tablet',
    cell: ({ standing }) => numberOrZero(standing.credits.limit),
  },
  {
    id: 'days',
    header: '14 days',
    wide: 'tablet',
    cell: ({ standing }) => <FourteenDays credits={standing.credits} />,
  },
  {
    id: 'lasts',
    header: 'Runs out',
    sort: 'lasts',
    cell: ({ standing }) => (
      <span className="gr-hint">
        <Lasts credits={standing.credits} />
      </span>
    ),
  },
  {
    header: 'Refused',
    sort: 'refused_requests',
    number: true,
    wide: 'tablet',
    cell: ({ standing }) => numberOrZero(standing.refused_requests),
  },
  {
    header: 'Status',
    cell: ({ id, status, standing: { failing_webhooks: failing } }) =>
      failing > 0 && status === 'active' ? (
        <Link to={`/accounts/${id}/webhooks`} title="Its webhooks fail">
          <StatusBadge tone="bad">{formatNumber(failing)} failing</StatusBadge>
        </Link>
      ) : (
        <AccountBadge status={status} />
      ),
  },
  { header: 'Tier', wide: 'tablet', cell: ({ tier }) => tier },
  {
    header: 'Manager',
    wide: 'tablet',
    cell: ({ manager }) => (
      <div className="gr-cut" style={{ maxWidth: '9rem' }} title={manager?.name}>
        <AccountManagerName manager={manager} />
      </div>
    ),
  },
];

function columnsFor(mayGrant: boolean, onDone: (done: Granted) => void): Column<Account>[] {
  const grant = (account: Account) => (
    <span data-at-rest={toneOf(account.standing.credits) === 'good' || undefined}>
      <GrantButton account={account} onDone={onDone} />
    </span>
  );
  return mayGrant
    ? [...COLUMNS, { id: 'grant', header: 'Action', number: true, wide: 'tablet', cell: grant }]
    : COLUMNS;
}

const YES = { true: 'yes' };

const FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Name or id', kind: 'search' },
  { name: 'tier', label: 'Tier', choices: TIER_NAMES },
  MANAGER_FILTER,
  { name: 'status', label: 'Status', choices: ['active', 'suspended', 'closed'] },
  { name: 'ip_allow_list', label: 'IP allow-lists', choices: { true: 'switched on', false: 'off' } },
  {
    name: 'min_credits_percent',
    label: 'Credits used',
    choices: ['50', '80', '90', '100'].map((value) => ({ value, label: `at least ${value} %` })),
  },
  {
    name: 'runs_out_within_days',
    label: 'Runs out',
    choices: { 3: 'within 3 days', 7: 'within 7 days', 31: 'before its period ends' },
  },
  { name: 'refused', label: 'Refused in 7 days', choices: YES },
  { name: 'webhooks_failing', label: 'Webhooks fail', choices: YES },
  ...LABEL_FILTERS,
];

const ACTIVE = { status: 'active' };

const PRESETS: readonly Preset[] = [
  { label: 'Run out', search: { ...ACTIVE, runs_out_within_days: '31', sort: 'lasts' } },
  { label: 'Refused', search: { ...ACTIVE, refused: 'true', sort: '-refused_requests' } },
  { label: 'Webhooks fail', search: { ...ACTIVE, webhooks_failing: 'true' } },
  { label: 'My accounts', search: { ...ACTIVE, manager: 'me', sort: '-credit_share' } },
];

const LISTING = listing(['accounts'], '/admin/accounts', FILTERS);

export const { firstQueries } = LISTING;

export default function AccountsPage() {
  const listed = useListing(LISTING);
  const may = useMay();
  const [creating, create] = useDisclosure();
  const [done, setDone] = useState<Granted | null>(null);
  const columns = useMemo(() => columnsFor(may('accounts.write'), setDone), []);
  return (
    <Stack gap="sm">
      <PageHeader title="Accounts">
        {may('accounts.write') && <Button onClick={create.open}>New account</Button>}
      </PageHeader>
      <Panel gap="xs">
        {done && <GrantedBanner key={JSON.stringify(done)} {...done} />}
        <FilteredList
          views={{ screen: 'accounts', presets: PRESETS }}
          name="Accounts"
          {...listed}
          columns={columns}
          defaultSort="-created_at"
          empty={
            <>
              No account matches. Widen the search, or open a new account.
              <NearestNames kind="account" typed={listed.list.search.search} />
            </>
          }
        />
      </Panel>
      {creating && (
        <Part>
          <CreateAccountDialog onClose={create.close} />
        </Part>
      )}
    </Stack>
  );
}
