import { Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../api/client';
import { withLocalTimes } from '../api/date-text';
import { Answer } from '../components/answer';
import { Banner } from '../components/banner';
import { Panel } from '../components/page';
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
              <b>{GATE_NAMES[gate]}</b>
              <div className="gr-dimmed">{passed ? withLocalTimes(rule) : REFUSING[decides ? 0 : 1]}</div>
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
export function Decision({
  explanation,
  isPast,
  stepOf,
}: {
  explanation: Explained;
  /** Whether the request was sent: what was decided then stands below. */
  isPast: boolean;
  stepOf: (gate: Gate, isMinor?: boolean) => ReactNode;
}) {
  const { gates, route } = explanation;
  const deciding = decidingGate(explanation);
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
        <Answer
          sentence={deciding ? withLocalTimes(deciding.rule) : isPast ? 'It would be let in now.' : 'Let in.'}
        >
          {deciding?.change && `${withLocalTimes(deciding.change)} `}
          {code && `Refused with ${code.status} ${code.code}. `}
          {route ? `Operation: ${route}` : 'No operation is served there.'}
        </Answer>
        {deciding && stepOf(deciding)}
      </Stack>
      {next.map((gate) => (
        <Banner key={gate.gate} tone="warn">
          <Group justify="space-between" gap="xs">
            <span>
              <strong>{GATE_NAMES[gate.gate]} would refuse it too.</strong> {withLocalTimes(gate.rule)}
            </span>
            {stepOf(gate, true)}
          </Group>
        </Banner>
      ))}
    </>
  );
}

/** The gate that refuses a request; undefined when all let it pass. */
function decidingGate({ gates, decided_by }: Explained) {
  return gates.find(({ gate }) => gate === decided_by);
}
