import { rolesThatMay, type StaffPermission } from '@app/domain/staff/staff-permissions';
import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schema } from '../api/client';
import { CopyButton } from '../components/copy-button';
import { humanize } from '../components/number';
import { useMay } from '../api/me';

type Gate = Schema['ExplainedGate'];

/** Where each change is made; the words in capitals are of the request. */
const STEPS: Record<NonNullable<Gate['remedy']>, [label: string, StaffPermission, path: string]> = {
  edit_key: ['Edit the key…', 'keys.write', '/api-keys/KEY?do=edit'],
  enable_key: ['Enable the key…', 'keys.write', '/api-keys/KEY?do=enable'],
  list_of_key: ['Add ADDRESS to the list…', 'keys.write', '/api-keys/KEY/allow-list?add=ADDRESS'],
  list_of_account: [
    'Add ADDRESS to the list of the account…',
    'keys.write',
    '/accounts/ACCOUNT/allow-list?add=ADDRESS',
  ],
  edit_account: ['Edit the account…', 'accounts.write', '/accounts/ACCOUNT?do=edit'],
  reactivate_account: ['Reactivate the account…', 'accounts.write', '/accounts/ACCOUNT?do=reactivate'],
  grant_credits: ['Grant credits…', 'accounts.write', '/accounts/ACCOUNT/credits?do=grant'],
  edit_budgets: ['Open the budgets', 'accounts.write', '/accounts/ACCOUNT/credits'],
  edit_credential: ['Open the credentials', 'management_credentials.write', '/management-credentials'],
};

/** What is refused is changed by one click, or handed to those who may change it. */
export function NextStep({
  gate,
  ids,
  address,
  isMinor = false,
}: {
  gate: Gate;
  /** What the words in capitals stand for. */
  ids: Partial<Record<'KEY' | 'ACCOUNT', string>>;
  address: string;
  /** Another step comes first. */
  isMinor?: boolean;
}) {
  const may = useMay();
  if (gate.remedy === null) return null;
  const [label, permission, path] = STEPS[gate.remedy];
  const fill = (text: string) =>
    text
      .replace('KEY', ids.KEY ?? '')
      .replace('ACCOUNT', ids.ACCOUNT ?? '')
      .replace('ADDRESS', address);
  const url = new URL(fill(path), location.origin);
  if (may(permission))
    return (
      <Button
        variant={isMinor ? 'default' : 'filled'}
        renderRoot={(props) => (
          <Link to={url.pathname} search={Object.fromEntries(url.searchParams) as never} {...props} />
        )}
      >
        {fill(label)}
      </Button>
    );
  return (
    <Group gap="xs">
      <span>
        {fill(label).replace('…', '')}: {rolesThatMay(permission).map(humanize).join(' or ')}.
      </span>
      <CopyButton
        value={`${gate.rule} ${gate.change} ${location.origin}/console${url.pathname}${url.search}`}
        what="the request for them"
      />
    </Group>
  );
}
