import { SimpleTable } from '../components/simple-table';
import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionDialog } from '../components/action-dialog';
import { Empty, Loaded } from '../components/loading';
import { Foreign, Name } from '../components/name';
import { Notice } from '../components/notice';
import { plainName } from '../components/name';
import { Panel } from '../components/page';
import { StatusBadge } from '../components/status-badge';
import { ContactDialog } from './contact-dialog';
import {
  contactsKey,
  listContacts,
  removeContact,
  testContact,
  type Contact,
  type Owner,
} from './contact-calls';

type Action = { what: 'add' } | { what: 'edit' | 'test' | 'remove'; contact: Contact };

/** Who is notified about an account, or about the installation. */
export function ContactsPanel({ owner, mayChange }: { owner: Owner; mayChange: boolean }) {
  const [action, setAction] = useState<Action | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const query = useQuery({ queryKey: contactsKey(owner), queryFn: () => listContacts(owner) });
  const saved = async (text: string) => {
    setDone(text);
    await query.refetch();
  };
  return (
    <Panel
      title="Contacts"
      actions={
        mayChange && (
          <Button size="xs" onClick={() => setAction({ what: 'add' })}>
            New contact…
          </Button>
        )
      }
    >
      <Stack>
        {done !== null && <Notice tone="good">{done}</Notice>}
        <Loaded query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No contacts">
                {owner === null
                  ? 'No contact receives alerts about the installation or its accounts.'
                  : 'The customer receives alerts through webhooks only.'}
              </Empty>
            ) : (
              <ContactsTable items={items} onAction={mayChange ? setAction : undefined} />
            )
          }
        </Loaded>
      </Stack>
      <Dialogs
        owner={owner}
        action={action && newest(action, query.data?.items)}
        onDone={saved}
        onClose={() => setAction(null)}
      />
    </Panel>
  );
}

/** With the contact as it is now. */
function newest(action: Action, items: Contact[] = []): Action {
  if (action.what === 'add') return action;
  const { id } = action.contact;
  return { ...action, contact: items.find((contact) => contact.id === id) ?? action.contact };
}

function ContactsTable({ items, onAction }: { items: Contact[]; onAction?: (action: Action) => void }) {
  return (
    <SimpleTable
      name="Contacts"
      rows={items}
      rowId={(contact) => contact.id}
      columns={[
        { header: 'Name', cell: (contact) => <Name>{contact.name}</Name> },
        {
          header: 'Reached at',
          cell: (contact) => (
            <span style={{ overflowWrap: 'anywhere' }}>
              <Foreign>{contact.email ?? contact.url_hint ?? ''}</Foreign>
            </span>
          ),
        },
        { header: 'Receives alerts about', cell: (contact) => contact.categories.join(', ') },
        {
          header: 'When',
          cell: (contact) =>
            contact.unsubscribed_at === null ? (
              whenText(contact)
            ) : (
              <StatusBadge tone="warn">unsubscribed</StatusBadge>
            ),
        },
        onAction && {
          header: 'Actions',
          cell: (contact) => (
            <Group gap={4}>
              {(['edit', 'test', 'remove'] as const).map((what) => (
                <Button
                  key={what}
                  size="compact-xs"
                  variant="default"
                  aria-label={`${VERBS[what]} ${plainName(contact.name).slice(0, 80)}`}
                  onClick={() => onAction({ what, contact })}
                >
                  {VERBS[what]}…
                </Button>
              ))}
            </Group>
          ),
        },
      ]}
    />
  );
}

const VERBS = { edit: 'Edit', test: 'Test', remove: 'Remove' } as const;

function whenText({ gather_minutes: minutes, quiet_from, quiet_to, time_zone }: Contact): string {
  const gathered = minutes === 0 ? 'at once' : `gathered for ${minutes} min`;
  return quiet_from === null ? gathered : `${gathered}, not from ${quiet_from} to ${quiet_to} (${time_zone})`;
}

interface DialogsProps {
  owner: Owner;
  action: Action | null;
  onDone: (text: string) => Promise<unknown>;
  onClose: () => void;
}

function Dialogs({ owner, action, onDone, onClose }: DialogsProps) {
  if (action === null) return null;
  if (action.what === 'add')
    return <ContactDialog owner={owner} onDone={() => onDone('The contact was added.')} onClose={onClose} />;
  const { what, contact } = action;
  if (what === 'edit')
    return (
      <ContactDialog
        owner={owner}
        contact={contact}
        onDone={() => onDone('The contact was saved.')}
        onClose={onClose}
      />
    );
  if (what === 'test')
    return (
      <ActionDialog
        title="Send a test message"
        consequence="One message is sent at once, whatever the quiet hours. See it in the log of alerts."
        action="Send a test"
        onConfirm={async (reason) => {
          await testContact(contact, reason);
          await onDone('A test is on its way.');
        }}
        onClose={onClose}
      />
    );
  return (
    <ActionDialog
      title="Remove the contact"
      consequence="It receives nothing more, and messages that wait for it are not sent. What it has received stays in the log."
      action="Remove"
      danger
      onConfirm={async (reason) => {
        await removeContact(contact, reason);
        await onDone('The contact was removed.');
      }}
      onClose={onClose}
    />
  );
}
