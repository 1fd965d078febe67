import { Stack } from '@mantine/core';
import { AlertLogPanel } from '../alerts/alert-log-panel';
import { RulesPanel } from '../alerts/rules-panel';
import { accountTab } from './account-screen';

export { firstQueries } from './account-screen';

export default accountTab(function Alerts({ account: { id }, mayWrite }) {
  return (
    <Stack>
      <RulesPanel owner={id} mayChange={mayWrite} />
      <AlertLogPanel owner={id} />
    </Stack>
  );
});
