import { inLocalTimes } from '@app/domain/common/date-text';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { Group, Stack, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Schema, useMay } from '../api/client';
import { Answer, Panel } from '../components/page';
import { Banner, whoMay } from '../components/banner';
import { CopyButton } from '../components/inline';
import { Check } from '../icons/icons';

type Explained = Schema['ExplainResponse'];
type Gate = Schema['ExplainedGate'];

export const GATE_NAMES: Record<Gate['gate'], string> = {
  route: 'Operation',
  credential: 'Secret',
  state: 'State',
  account: 'Account',
  ip: 'Address',
  scope: 'Permission',
  limit: 'Requests per minute',
  concurrency: 'Generations at once',
  model: 'Model',
  voice: 'Voice',
  tier: 'Tier',
  credits: 'Credits',
  accounts: 'Accounts',
};

export const gateName = (gate: string) => (GATE_NAMES as Record<string, string>)[gate] ?? gate;

export const SETTINGS: Record<string, string | undefined> = {
  state: 'expires_at',
  scope: 'permissions',
  limit: 'requests_per_minute',
  concurrency: 'concurrency_limit',
  model: 'models',
  voice: 'voices',
  tier: 'tier',
  credits: 'credit_limit',
};

/** How far a request came: the gates in their order, what each says, and where one decided. Those that refuse speak in `Decision`. */
export function Path({ explanation: { gates, decided_by } }: { explanation: Explained }) {
  const place = gates.findIndex(({ gate }) => gate === decided_by);
  return (
    <Panel title="Gates">
      <ol className="gr-path" aria-label="Gates, in the order in which a request meets them">
        {gates.map(({ gate, passed, rule }, at) => {
          const decides = at === place;
          const tone = decides ? 'bad' : !passed ? 'warn' : place >= 0 && at > place ? 'calm' : 'good';
          return (
            <li key={gate} data-tone={tone} aria-current={decides || undefined}>
              <i aria-hidden>{MARKS[tone]}</i>
              <b style={{ flex: '0 0 9.5rem' }}>{GATE_NAMES[gate]}</b>
              <div className="gr-dimmed" style={{ flex: '1 1 12rem' }}>
                {passed ? inLocalTimes(rule) : REFUSING[decides ? 0 : 1]}
              </div>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

const REFUSING = ['this one decides', 'would refuse too'];

const MARKS = { good: <Check size={12} />, bad: '×', warn: '!', calm: '' };

/** What is decided about a request, what changes that, and what would refuse it then. `stepOf` is the way to a change. */
export function Decision(props: {
  explanation: Explained;
  letIn: string;
  stepOf: (gate: Gate, isMinor?: boolean) => ReactNode;
}) {
  const { explanation, letIn, stepOf } = props;
  const { gates, route, decided_by } = explanation;
  const deciding = gates.find(({ gate }) => gate === decided_by);
  const code = deciding?.refusal;
  const next = gates.filter((gate) => gate !== deciding && !gate.passed);
  return (
    <>
      <Stack className="gr-decision" gap={8} align="flex-start">
        {deciding && (
          <b className="gr-late">
            Refused at gate {gates.indexOf(deciding) + 1} of {gates.length}: {GATE_NAMES[deciding.gate]}
          </b>
        )}
        <Answer sentence={deciding ? inLocalTimes(deciding.rule) : letIn}>
          {deciding?.change && `${inLocalTimes(deciding.change)} `}
          {code && `Refused with ${code.status} ${code.code}. `}
          {route ? `Operation: ${route}` : 'No operation is served there.'}
        </Answer>
        {deciding && stepOf(deciding)}
      </Stack>
      {next.map((gate) => (
        <Banner key={gate.gate} tone="warn">
          <Group justify="space-between" gap="xs">
            <span>
              <strong>{GATE_NAMES[gate.gate]} would refuse it too.</strong> {inLocalTimes(gate.rule)}
            </span>
            {stepOf(gate, true)}
          </Group>
        </Banner>
      ))}
    </>
  );
}

/** Where each change is made; the words in capitals are of the request. */
const STEPS: Record<NonNullable<Gate['remedy']>, [label: string, StaffPermission, path: string]> = {
  edit_key: ['Edit the key…', 'keys.write', '/api-keys/KEY?do=edit.SETTING'],
  enable_key: ['Enable the key…', 'keys.write', '/api-keys/KEY?do=enable'],
  list_of_key: ['Add ADDRESS to the list…', 'keys.write', '/api-keys/KEY/allow-list?add=ADDRESS'],
  list_of_account: [
    'Add ADDRESS to the list of the account…',
    'keys.write',
    '/accounts/ACCOUNT/allow-list?add=ADDRESS',
  ],
  edit_account: ['Edit the account…', 'accounts.write', '/accounts/ACCOUNT?do=edit.SETTING'],
  reactivate_account: ['Reactivate the account…', 'accounts.write', '/accounts/ACCOUNT?do=reactivate'],
  grant_credits: ['Grant credits…', 'accounts.write', '/accounts/ACCOUNT/credits?do=grant'],
  edit_budgets: ['Open the budgets', 'accounts.write', '/accounts/ACCOUNT/credits'],
  edit_credential: ['Open the credentials', 'management_credentials.write', '/management-credentials'],
};

/** What is refused is changed by one click, or handed to those who may change it. */
export function NextStep(props: {
  gate: Gate;
  ids: Partial<Record<'KEY' | 'ACCOUNT', string>>;
  address: string;
  /** Another step comes first. */
  isMinor?: boolean;
}) {
  const { gate, ids, address, isMinor = false } = props;
  const may = useMay();
  if (gate.remedy === null) return null;
  const [label, permission, path] = STEPS[gate.remedy];
  const fill = (text: string) =>
    text
      .replace('SETTING', SETTINGS[gate.gate] ?? '')
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
      <span>{whoMay(permission, fill(label[0]!.toLowerCase() + label.slice(1)).replace('…', ''))}</span>
      <CopyButton
        value={`${gate.rule} ${gate.change} ${location.origin}/console${url.pathname}${url.search}`}
        what="the request for them"
      />
    </Group>
  );
}
