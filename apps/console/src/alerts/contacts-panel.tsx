import { useQuery } from '@tanstack/react-query';
import { ActionDialog } from '../components/action-dialog';
import { EditableList } from '../components/editable-list';
import { UserText, Name, plainName } from '../components/name';
import { StatusBadge } from '../components/banner';
import {
  contactsKey,
  listContacts,
  removeContact,
  testContact,
  type Contact,
  type Owner,
} from './alert-calls';
import { ContactDialog } from './contact-dialog';

const ACTIONS = [
  ['edit', 'Edit…'],
  ['test', 'Test…'],
  ['remove', 'Remove…'],
] as const;

/** Who is notified about an account, or about the installation. */
export function ContactsPanel({ owner, mayChange }: { owner: Owner; mayChange: boolean }) {
  const query = useQuery({ queryKey: contactsKey(owner), queryFn: () => listContacts(owner) });
  return (
    <EditableList
      title="Contacts"
      noun="contact"
      empty={[
        'No contacts',
        owner === null
          ? 'No contact receives alerts about the installation or its accounts.'
          : 'The customer receives alerts through webhooks only.',
      ]}
      query={query}
      actions={mayChange ? ACTIONS : null}
      nameOf={(contact) => plainName(contact.name).slice(0, 80)}
      columns={[
        { header: 'Name', cell: (contact) => <Name>{contact.name}</Name> },
        {
          header: 'Reached at',
          cell: (contact) => <UserText>{contact.email ?? contact.url_hint ?? ''}</UserText>,
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
      ]}
      dialog={({ action, row: contact, onDone, onClose }) => {
        if (action === 'test' && contact)
          return (
            <ActionDialog
              title="Send a test message"
              of={contact.name}
              consequence="One message is sent at once, even in quiet hours. See it in the log of alerts."
              action="Send a test"
              onConfirm={async (reason) => {
                await testContact(contact, reason);
                await onDone('A test is on its way.');
              }}
              onClose={onClose}
            />
          );
        if (action === 'remove' && contact)
          return (
            <ActionDialog
              title="Remove the contact"
              of={contact.name}
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
        const done = (of: string) =>
          onDone(contact ? 'The contact was saved.' : 'The contact was added.', of);
        return <ContactDialog owner={owner} contact={contact} onDone={done} onClose={onClose} />;
      }}
    />
  );
}

function whenText({ gather_minutes: minutes, quiet_from, quiet_to, time_zone }: Contact): string {
  const gathered = minutes === 0 ? 'at once' : `gathered for ${minutes} min`;
  return quiet_from === null ? gathered : `${gathered}, not from ${quiet_from} to ${quiet_to} (${time_zone})`;
}
