import { ALLOW_LIST_TIER, mayEnableAllowLists } from '@app/domain/allow-lists/allow-list-entitlement';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, useMay } from '../api/client';
import { ActionButton } from '../components/action-dialog';
import { Facts, Panel } from '../components/page';
import { Person, UserText, Time, StatusBadge } from '../components/inline';
import type { AccountDetail, AccountTab } from './account-screen';

type Props = Pick<AccountTab, 'account' | 'onDone'>;

interface SwitchProps extends Props {
  title: string;
  isOn: boolean;
  badge: string;
  text: string;
  consequence: string;
  action: string;
  dialogTitle: string;
  done: string;
  change: (reason: string) => Promise<AccountDetail>;
  isPossible?: boolean;
  children?: ReactNode;
}

function SwitchPanel({ account, onDone, title, isOn, badge, text, children, ...dialog }: SwitchProps) {
  const may = useMay();
  return (
    <Panel
      title={title}
      actions={<StatusBadge tone={isOn ? 'info' : 'calm'}>{badge}</StatusBadge>}
      gap="md"
      align="flex-start"
    >
      <Text size="sm">{text}</Text>
      {children}
      {dialog.isPossible !== false && may('entitlements.write') && account.status !== 'closed' && (
        <ActionButton
          label={`${dialog.action}…`}
          size="xs"
          title={dialog.dialogTitle}
          of={account.name}
          consequence={dialog.consequence}
          action={dialog.action}
          onConfirm={async (reason) => onDone(dialog.done)(await dialog.change(reason))}
        />
      )}
    </Panel>
  );
}

export function EntitlementPanel(props: Props) {
  const { account } = props;
  const { enabled: isOn, changed_at, changed_by, reason: why } = account.ip_allow_list;
  const path = '/admin/accounts/{account_id}/ip-allow-list-entitlement';
  const isInTier = mayEnableAllowLists(account.tier);
  return (
    <SwitchPanel
      {...props}
      title="IP allow-lists (preview)"
      isOn={isOn}
      isPossible={isOn || isInTier}
      badge={isOn ? 'switched on' : 'off'}
      text={
        !isInTier
          ? `New lists need the tier ${ALLOW_LIST_TIER}: change the tier of the account first, which is ${account.tier}. Existing lists are still enforced.`
          : isOn
            ? 'Keys of this account can be limited to addresses.'
            : 'New allow-lists are refused. Existing lists are still enforced.'
      }
      dialogTitle={isOn ? 'Switch IP allow-lists off' : 'Switch IP allow-lists on'}
      consequence={
        isOn
          ? `No new lists and no new entries are accepted. The ${account.usage.keys.with_allow_list} lists that exist stay and are enforced.`
          : 'Keys of this account can then be limited to addresses. Nothing changes for them until a list is saved.'
      }
      action={isOn ? 'Switch off' : 'Switch on'}
      done={`IP allow-lists are ${isOn ? 'off' : 'switched on'} for this account.`}
      change={(reason) => api.PUT(path, account.id, { enabled: !isOn, reason }, account)}
    >
      {changed_at && (
        <span className="gr-dimmed">
          Changed <Time at={changed_at} /> by <Person by={changed_by} />:{' '}
          <UserText>{why ?? 'no reason'}</UserText>
        </span>
      )}
    </SwitchPanel>
  );
}

export function RecordingsPanel(props: Props) {
  const { id, recordings_consented_at: consentedAt } = props.account;
  const isOn = consentedAt !== null;
  const path = '/admin/accounts/{account_id}/recordings-consent';
  return (
    <SwitchPanel
      {...props}
      title="Voices from recordings"
      isOn={isOn}
      badge={isOn ? 'consent noted' : 'no consent'}
      text={
        isOn
          ? 'Everyone who speaks in the recordings of this account has consented. Its keys can upload recordings.'
          : 'Uploads of recordings are refused until you record that everyone who speaks in them has consented.'
      }
      dialogTitle={isOn ? 'Withdraw the consent to recordings' : 'Record the consent to recordings'}
      consequence={
        isOn
          ? 'No more recordings are accepted from this account. Its voices and their recordings stay until they are deleted.'
          : 'You confirm that everyone who speaks in the recordings of this account has agreed that voices are created from them. Its keys can then upload recordings. Name the document in the reason.'
      }
      action={isOn ? 'Withdraw the consent' : 'Record the consent'}
      done={isOn ? 'The consent has been withdrawn.' : 'The consent has been recorded.'}
      change={(reason) => api.PUT(path, id, { given: !isOn, reason }, props.account)}
    >
      {isOn && <Facts facts={[['Noted', <Time at={consentedAt} />]]} />}
    </SwitchPanel>
  );
}
