import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, type Schema } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Facts } from '../components/facts';
import { UserText } from '../components/name';
import { Banner, StatusBadge } from '../components/banner';
import { Panel } from '../components/page';
import { Time } from '../components/time';
import { useMay } from '../api/me';

type Detail = Schema['AccountDetailResponse'];

/** Whether the keys of the account may have IP allow-lists. */
export function EntitlementPanel({
  account,
  onDone,
}: {
  account: Detail;
  onDone: (text: string) => (saved: Detail) => void;
}) {
  const { enabled, accepts_new_lists, changed_at, changed_by, reason } = account.ip_allow_list;
  const may = useMay();
  const [asking, ask] = useDisclosure();
  return (
    <Panel
      title="IP allow-lists (preview)"
      actions={<StatusBadge tone={enabled ? 'info' : 'calm'}>{enabled ? 'switched on' : 'off'}</StatusBadge>}
    >
      <Stack align="flex-start">
        <Text size="sm">
          {enabled
            ? 'Keys of this account can be limited to addresses.'
            : 'New allow-lists are refused. Existing lists are still enforced.'}
        </Text>
        {enabled && !accepts_new_lists && (
          <Banner tone="warn">
            The tier {account.tier} accepts no new lists, although they are switched on.
          </Banner>
        )}
        {changed_at && (
          <Facts
            facts={[
              ['Changed', <Time at={changed_at} />],
              ['By', <bdi>{changed_by ?? 'not recorded'}</bdi>],
              ['Reason', <UserText>{reason ?? 'none'}</UserText>],
            ]}
          />
        )}
        {may('entitlements.write') && account.status !== 'closed' && (
          <Button variant="default" onClick={ask.open}>
            {enabled ? 'Switch off…' : 'Switch on…'}
          </Button>
        )}
      </Stack>
      {asking && <EntitlementDialog account={account} onDone={onDone} onClose={ask.close} />}
    </Panel>
  );
}

function EntitlementDialog({
  account,
  onDone,
  onClose,
}: Closing & { account: Detail; onDone: (text: string) => (saved: Detail) => void }) {
  const enabled = !account.ip_allow_list.enabled;
  const confirm = async (reason: string) => {
    const saved = await api.PUT(
      '/admin/accounts/{account_id}/ip-allow-list-entitlement',
      account.id,
      { enabled, reason },
      account,
    );
    onDone(`IP allow-lists are ${enabled ? 'switched on' : 'off'} for this account.`)(saved);
  };
  return (
    <ActionDialog
      title={enabled ? 'Switch IP allow-lists on' : 'Switch IP allow-lists off'}
      of={account.name}
      consequence={
        enabled
          ? 'Keys of this account can then be limited to addresses. Nothing changes for them until a list is saved.'
          : `No new lists and no new entries are accepted. The ${account.usage.keys.with_allow_list} lists that exist stay and are enforced.`
      }
      action={enabled ? 'Switch on' : 'Switch off'}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
