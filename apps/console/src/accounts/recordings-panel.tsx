import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { Facts } from '../components/facts';
import { Panel } from '../components/page';
import { StatusBadge } from '../components/banner';
import { Time } from '../components/time';
import { useMay } from '../api/me';

type Detail = Schema['AccountDetailResponse'];

interface Props {
  account: Detail;
  onDone: (text: string) => (saved: Detail) => void;
}

/** Whether the account may create voices from recordings: only with the consent of those who speak in them. */
export function RecordingsPanel({ account, onDone }: Props) {
  const { recordings_consented_at: consentedAt } = account;
  const may = useMay();
  const [asking, ask] = useDisclosure();
  return (
    <Panel
      title="Voices from recordings"
      actions={
        <StatusBadge tone={consentedAt ? 'info' : 'calm'}>
          {consentedAt ? 'consent noted' : 'no consent'}
        </StatusBadge>
      }
    >
      <Stack align="flex-start">
        <Text size="sm">
          {consentedAt
            ? 'Everyone who speaks in the recordings of this account has consented. Its keys can upload recordings.'
            : 'Uploads of recordings are refused until you record that everyone who speaks in them has consented.'}
        </Text>
        {consentedAt && <Facts facts={[['Noted', <Time at={consentedAt} />]]} />}
        {may('entitlements.write') && account.status !== 'closed' && (
          <Button variant="default" onClick={ask.open}>
            {consentedAt ? 'Withdraw the consent…' : 'Record the consent…'}
          </Button>
        )}
      </Stack>
      {asking && <ConsentDialog account={account} onDone={onDone} onClose={ask.close} />}
    </Panel>
  );
}

function ConsentDialog({ account, onDone, onClose }: Props & { onClose: () => void }) {
  const consents = account.recordings_consented_at === null;
  const confirm = async (reason: string) => {
    const saved = await api.PUT(
      '/admin/accounts/{account_id}/recordings-consent',
      account.id,
      { given: consents, reason },
      account,
    );
    onDone(consents ? 'The consent has been recorded.' : 'The consent has been withdrawn.')(saved);
  };
  return (
    <ActionDialog
      title={consents ? 'Record the consent to recordings' : 'Withdraw the consent to recordings'}
      of={account.name}
      consequence={
        consents
          ? 'You confirm that everyone who speaks in the recordings of this account has agreed that voices are created from them. Its keys can then upload recordings. Name the document in the reason.'
          : 'No more recordings are accepted from this account. Its voices and their recordings stay until they are deleted.'
      }
      action={consents ? 'Record the consent' : 'Withdraw the consent'}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
