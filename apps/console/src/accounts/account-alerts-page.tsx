import { Stack } from '@mantine/core';
import { AlertLogPanel } from '../alerts/alert-log-panel';
import { RulesPanel } from '../alerts/rules-panel';
import { useMay } from '../api/client';
import { accountTab } from './account-screen';

export { firstQueries } from './account-screen';

export default accountTab(function Alerts({ account }) {
  const may = useMay();
  return (
    <Stack>
      <RulesPanel owner={account.id} mayChange={may('accounts.write') && account.status !== 'closed'} />
      <AlertLogPanel owner={account.id} />
    </Stack>
  );
});
