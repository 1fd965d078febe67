import { Textarea, TextInput } from '@mantine/core';
import { api, type Schema, useMay } from '../api/client';
import type { Action } from '../components/row-actions';
import { ActionDialog, type Closing } from '../components/action-dialog';
import type { Column } from '../components/data-table';
import { listing, useListing } from '../components/list-search';
import { Person, Name, Time, StatusBadge } from '../components/inline';
import { toNumber, useFields } from '../components/fields';
import { CredentialsScreen, HINT_COLUMN, USED_COLUMN, type OnDone } from './credentials-screen';

type Credential = Schema['ServiceCredentialResponse'];

const ONE = '/admin/service-credentials/{credential_id}';

const LISTING = listing(['service-credentials'], '/admin/service-credentials');

export const { firstQueries } = LISTING;

export default function ServiceCredentialsPage() {
  const may = useMay();
  return (
    <CredentialsScreen
      title="Service credentials"
      hint="Other services of the platform use them to check what a key may do."
      ifLost="create another credential"
      empty="No service has a credential yet."
      {...useListing(LISTING)}
      columns={COLUMNS}
      may={may('service_credentials.write')}
      actionsOf={(credential, onDone) => ({
        forwarding: {
          label: 'Forwarding…',
          isHidden: !credential.enabled,
          dialog: (dialog) => <ForwardingDialog {...{ credential, onDone, ...dialog }} />,
        },
        end: endOf(credential, onDone),
      })}
      NewDialog={NewDialog}
    />
  );
}

const COLUMNS: Column<Credential>[] = [
  { id: 'name', header: 'Service', cell: ({ name }) => <Name>{name}</Name> },
  HINT_COLUMN,
  {
    header: 'Status',
    cell: ({ enabled }) => (
      <StatusBadge tone={enabled ? 'good' : 'bad'}>{enabled ? 'enabled' : 'disabled'}</StatusBadge>
    ),
  },
  USED_COLUMN,
  {
    header: 'Created',
    cell: ({ created_at, created_by }) => (
      <>
        <Time at={created_at} dateOnly />{' '}
        <span className="gr-dimmed">
          by <Person by={created_by} />
        </span>
      </>
    ),
  },
];

/** One that is in use is disabled before it is deleted. */
function endOf(credential: Credential, onDone: OnDone): Action {
  const { id, name, enabled } = credential;
  const verb = enabled ? 'Disable' : 'Delete';
  return {
    label: `${verb}…`,
    title: `${verb} the credential`,
    consequence: enabled
      ? 'The service is refused from now on, for good: a credential is not enabled again.'
      : 'It disappears from this list; the audit log keeps what was done with it.',
    action: verb,
    danger: true,
    onConfirm: async (reason) => {
      const { receipt } = await (enabled
        ? api.POST(`${ONE}/disable`, id, { reason }, credential)
        : api.DELETE(ONE, id, { reason }, credential));
      await onDone({ text: `The credential was ${verb.toLowerCase()}d.`, of: name, receipt });
    },
  };
}

function NewDialog({ onDone, onClose }: Closing & { onDone: OnDone }) {
  const fields = useFields({ name: '' });
  const create = async (reason: string) => {
    const body = { ...fields.values, reason };
    const created = await api.POST('/admin/service-credentials', {}, body);
    await onDone({ text: 'The credential was created.', of: created.name, created });
  };
  return (
    <ActionDialog
      title="New service credential"
      of={null}
      consequence="Its secret is shown once."
      action="Create it"
      onConfirm={create}
      onClose={onClose}
    >
      <TextInput label="The service that will use it" required {...fields.text('name')} />
    </ActionDialog>
  );
}

function ForwardingDialog(props: Closing & { credential: Credential; onDone: OnDone }) {
  const { credential, onDone, onClose } = props;
  const { id, name, forward_rules: stored } = credential;
  const fields = useFields({ rules: stored.map(toLine).join('\n') });
  const save = async (reason: string) => {
    const lines = fields.values.rules.split('\n').filter((line) => line.trim() !== '');
    const body = { forward_rules: lines.map(toRule), reason };
    const { receipt } = await api.PUT(`${ONE}/forward-rules`, id, body, credential);
    await onDone({ text: 'The requests that it may forward were changed.', of: name, receipt });
  };
  return (
    <ActionDialog
      title="Requests that it may forward"
      of={name}
      consequence="A reverse proxy that uses this credential admits these requests and no others. The most specific line decides."
      action="Save them"
      onConfirm={save}
      onClose={onClose}
    >
      <Textarea
        label="Requests"
        description="A line for each: method and host if they matter, path, permission of the key (or any), credits (or free)."
        placeholder="POST api.example.com/v1/speech/* text_to_speech 5"
        rows={4}
        className="gr-mono"
        {...fields.text('rules')}
      />
    </ActionDialog>
  );
}

type Rule = Credential['forward_rules'][number];

const toLine = ({ match, scope, cost }: Rule) => `${match} ${scope ?? 'any'} ${cost ?? 'free'}`;

/** What is missing or not accepted goes to the server as it is, to be refused in its words. */
function toRule(line: string): Rule {
  const words = line.trim().split(/\s+/);
  const [scope, cost] = words.slice(-2);
  return {
    match: words.slice(0, -2).join(' '),
    scope: scope === 'any' ? null : (scope as Rule['scope']),
    cost: cost === 'free' ? null : toNumber(cost ?? ''),
  };
}
