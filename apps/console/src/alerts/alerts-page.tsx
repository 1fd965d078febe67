import { Stack } from '@mantine/core';
import { HandOver } from '../components/banner';
import { PageHeader } from '../components/page';
import { useMay } from '../api/client';
import { AlertLogPanel } from './alert-log-panel';
import { ContactsPanel } from './contacts-panel';
import { RulesPanel } from './rules-panel';

export default function AlertsPage() {
  const mayChange = useMay()('alerts.write');
  return (
    <>
      <PageHeader
        title="Rules and alerts"
        hint="Which alerts customers and staff receive, and which were sent. Each account has separate contacts and rules."
      />
      <Stack>
        <HandOver permission="alerts.write" to="change these rules" />
        <ContactsPanel owner={null} mayChange={mayChange} />
        <AlertLogPanel owner={null} />
        <RulesPanel owner={null} mayChange={mayChange} />
      </Stack>
    </>
  );
}
