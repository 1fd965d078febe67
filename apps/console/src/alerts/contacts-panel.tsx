import { queryOptions, useQuery } from '@tanstack/react-query';
import { CONTACT_CATEGORIES, type ContactCategory } from '@app/domain/alerts/alert-kinds';
import { silenceOf } from '@app/domain/alerts/alert-rule';
import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { EditableList } from '../components/editable-list';
import { UserText, Name, plainName, StatusBadge } from '../components/inline';
import { Banner } from '../components/banner';
import { api } from '../api/client';
import { contactsOf, listContacts, type Contact, type Owner } from './alert-calls';
import { fieldProblem } from '../api/problem';
import { named } from '../components/list-filters';
import { Checks, Tick, useEdited, toNumber, useFields } from '../components/fields';
import { changedFields, type Described } from '../components/changed-fields';

const contactsQuery = (owner: Owner) =>
  queryOptions({ queryKey: ['contacts', owner], queryFn: () => listContacts(owner) });

const contactAt = ({ account_id, id: contact_id }: Contact) =>
  [`${contactsOf(account_id)[0]}/{contact_id}`, { account_id, contact_id }] as const;

const CATEGORY_NAMES: Record<ContactCategory, string> = {
  credits: 'Credits: used up, running out, unusual use',
  keys: 'Keys: expiring, rotated, not used',
  security: 'Security: leaks, refusals, new networks',
  operations: 'Operations: waiting reviews, dead letters, failing receivers',
};

export function ContactsPanel({ owner, mayChange }: { owner: Owner; mayChange: boolean }) {
  const query = useQuery(contactsQuery(owner));
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
      mayChange={mayChange}
      actions={[
        {
          verb: 'Test',
          title: 'Send a test message',
          consequence: 'One message is sent at once, even in quiet hours. See it in the log of alerts.',
          action: 'Send a test',
          send: (contact, reason) => {
            const [at, params] = contactAt(contact);
            return api.POST(`${at}/test`, params, { reason });
          },
          done: 'A test is on its way.',
        },
        {
          verb: 'Remove',
          title: 'Remove the contact',
          consequence:
            'It receives nothing more, and messages that wait for it are not sent. What it has received stays in the log.',
          danger: true,
          send: (contact, reason) => api.DELETE(...contactAt(contact), { reason }, contact),
          done: 'The contact was removed.',
        },
      ]}
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
          cell: (contact) => {
            const silence = silenceOf(contact, query.data?.mail_server !== false);
            return silence === null ? whenText(contact) : <StatusBadge tone="warn">{silence}</StatusBadge>;
          },
        },
      ]}
      dialog={({ row: contact, onDone, onClose }) => (
        <ContactDialog
          {...{ owner, contact, onClose }}
          onDone={(of) => onDone(contact ? 'The contact was saved.' : 'The contact was added.', of)}
        />
      )}
    />
  );
}

function whenText({ gather_minutes: minutes, quiet_from, quiet_to, time_zone }: Contact): string {
  const gathered = minutes === 0 ? 'at once' : `gathered for ${minutes} min`;
  return quiet_from === null ? gathered : `${gathered}, not from ${quiet_from} to ${quiet_to} (${time_zone})`;
}

function ContactDialog(
  props: Closing & { owner: Owner; contact?: Contact; onDone: (of: string) => Promise<unknown> },
) {
  const { owner, contact, onDone, onClose } = props;
  const edited = useEdited(contact, describeContact);
  const { begun } = edited;
  const [filled] = useState(() => valuesOf(begun));
  const fields = useFields(filled);
  const [categories, setCategories] = useState<ContactCategory[]>(
    begun?.categories ?? (owner === null ? ['operations'] : ['credits', 'keys', 'security']),
  );
  const [again, setAgain] = useState(false);
  const { data: contacts } = useQuery(contactsQuery(owner));
  const { values } = fields;
  const isMail = values.channel === 'email';
  const save = async (reason: string) => {
    const settings = settingsOf(values, categories);
    if (begun && edited.base) {
      const changes = toBody(changedFields(settingsOf(filled, begun.categories), settings));
      const body = { ...changes, ...(again && { subscribed: 'true' as const }), reason };
      await api.PATCH(...contactAt(edited.base), body, edited.base);
    } else {
      const body = { ...toBody(settings), channel: isMail ? ('email' as const) : ('chat' as const), reason };
      await api.POST(...contactsOf(owner), body);
    }
    await onDone(values.name);
  };
  return (
    <ActionDialog
      title={contact ? 'Edit the contact' : 'New contact'}
      of={contact?.name ?? null}
      consequence="It receives the alerts of the rules from now on. Every e-mail has a link to unsubscribe."
      action={contact ? 'Save' : 'Add it'}
      form={fields}
      fields={['categories']}
      edited={edited}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput label="Name" required {...fields.text('name')} />
      {!contact && (
        <NativeSelect
          label="Reached by"
          data={named({ email: 'E-mail', chat: 'Hook: Slack-compatible, PagerDuty, Opsgenie' })}
          {...fields.text('channel')}
        />
      )}
      {isMail && contacts?.mail_server === false && (
        <Banner tone="warn">
          No mail server is set (SMTP_URL), so this contact would receive nothing. Use a hook, or have the
          operator set one.
        </Banner>
      )}
      {isMail ? (
        <TextInput label="E-mail address" required {...fields.text('email')} />
      ) : (
        <TextInput
          label="URL of the hook"
          description={
            contact
              ? `Now ${contact.url_hint ?? ''}. Empty: it stays.`
              : 'It is a secret and is not shown again. PagerDuty: https://events.pagerduty.com/v2/enqueue?routing_key=KEY. Opsgenie: https://api.opsgenie.com/v2/alerts?api_key=KEY.'
          }
          placeholder="https://…"
          required={!contact}
          {...fields.text('url')}
        />
      )}
      <Checks
        label="Receives alerts about"
        all={CONTACT_CATEGORIES.filter((category) => owner === null || category !== 'operations')}
        nameOf={(category) => CATEGORY_NAMES[category]}
        value={categories}
        onChange={setCategories}
        error={fieldProblem(fields.problem, 'categories')}
      />
      <Group grow align="start" wrap="wrap">
        <TextInput label="Quiet from" type="time" {...fields.text('quiet_from')} />
        <TextInput label="Quiet to" type="time" {...fields.text('quiet_to')} />
      </Group>
      <TextInput label="Time zone of the quiet hours" {...fields.text('time_zone')} />
      <TextInput
        label="Gather alerts for"
        description="In minutes. 0: each alert is sent at once; those of the same moment go together."
        inputMode="numeric"
        {...fields.text('gather_minutes')}
      />
      {contact?.unsubscribed_at && (
        <Tick label="Subscribe it again, as the contact has requested" checked={again} onPick={setAgain} />
      )}
    </ActionDialog>
  );
}

function valuesOf(contact?: Contact) {
  return {
    name: contact?.name ?? '',
    channel: contact?.channel ?? 'email',
    email: contact?.email ?? '',
    url: '',
    quiet_from: contact?.quiet_from ?? '',
    quiet_to: contact?.quiet_to ?? '',
    time_zone: contact?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    gather_minutes: String(contact?.gather_minutes ?? 0),
  };
}

/** What a form says of a contact. The parts of its quiet hours only make sense together. */
function settingsOf(values: ReturnType<typeof valuesOf>, categories: ContactCategory[]) {
  const { name, quiet_from, quiet_to, time_zone } = values;
  // An empty field leaves the hook as it is: its URL is not shown.
  const url = values.url.trim();
  const isQuiet = quiet_from !== '' || quiet_to !== '';
  return {
    name,
    categories,
    address: values.channel === 'email' ? { email: values.email.trim() } : url && { url },
    quiet: {
      quiet_from: quiet_from || null,
      quiet_to: quiet_to || null,
      time_zone: isQuiet ? time_zone : null,
    },
    gather_minutes: toNumber(values.gather_minutes) ?? 0,
  };
}

function toBody<T extends Partial<ReturnType<typeof settingsOf>>>({ address, quiet, ...rest }: T) {
  return { ...rest, ...address, ...quiet };
}

function describeContact(contact: Contact): Described {
  const { name, email, url_hint, categories, quiet_from, quiet_to, time_zone, gather_minutes } = contact;
  return [
    ['name', name],
    ['address', email ?? url_hint ?? ''],
    ['receives alerts about', categories.join(', ')],
    ['quiet hours', quiet_from === null ? 'none' : `${quiet_from} to ${quiet_to} (${time_zone})`],
    ['gathered for, in minutes', String(gather_minutes)],
    ['subscribed', contact.unsubscribed_at === null ? 'yes' : 'no'],
  ];
}
