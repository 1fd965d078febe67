import type { ReactNode } from 'react';
import type { Schema } from '../api/client';
import { withLocalTimes } from '../api/date-text';
import { Banner } from '../components/banner';
import { Panel } from '../components/page';
import { StatusBadge } from '../components/status-badge';

type Explained = Schema['ExplainResponse'];

export const GATE_NAMES: Record<Schema['ExplainedGate']['gate'], string> = {
  route: 'Operation',
  credential: 'Secret',
  state: 'State of the key',
  account: 'Account',
  ip: 'Address',
  scope: 'Permission',
  limit: 'Requests per minute',
  concurrency: 'Generations at once',
  model: 'Model',
  voice: 'Voice',
  tier: 'Tier',
  credits: 'Credits',
};

/** What is decided about a request, and what would change that. */
export function Decision({ explanation, children }: { explanation: Explained; children: ReactNode }) {
  const deciding = decidingGate(explanation);
  const code = deciding?.refusal;
  return (
    <Banner
      tone={explanation.allowed ? 'good' : 'bad'}
      title={deciding ? `${GATE_NAMES[deciding.gate]}: ${withLocalTimes(deciding.rule)}` : 'Let in.'}
    >
      {deciding?.change && <div>{withLocalTimes(deciding.change)}</div>}
      {code && <div>{`Refused with ${code.status} ${code.code}.`}</div>}
      <div>{explanation.route ? `Operation: ${explanation.route}` : 'No operation is served there.'}</div>
      {children}
    </Banner>
  );
}

/** The gate that refuses a request; undefined when all let it pass. */
export function decidingGate({ gates, decided_by }: Explained) {
  return gates.find(({ gate }) => gate === decided_by);
}

/** What every gate says of a request. */
export function GatesPanel({ explanation: { gates, decided_by } }: { explanation: Explained }) {
  return (
    <Panel title="Gates, in the order in which a request meets them">
      <ol style={{ listStyle: 'none', margin: 0, padding: 0, display: 'grid', gap: 10 }}>
        {gates.map((gate) => (
          <GateRow key={gate.gate} gate={gate} decides={gate.gate === decided_by} />
        ))}
      </ol>
    </Panel>
  );
}

function GateRow({ gate, decides }: { gate: Schema['ExplainedGate']; decides: boolean }) {
  return (
    <li className={decides ? 'gr-notice gr-bad' : 'gr-notice'} aria-current={decides ? 'true' : undefined}>
      <strong className="gr-gate" data-passed={gate.passed || undefined}>
        {GATE_NAMES[gate.gate]}
      </strong>{' '}
      {!decides && (
        <StatusBadge tone={gate.passed ? 'good' : 'warn'}>
          {gate.passed ? 'passed' : 'would refuse too'}
        </StatusBadge>
      )}
      {decides && <StatusBadge tone="bad">this one decides</StatusBadge>}
      <div>{withLocalTimes(gate.rule)}</div>
      {gate.change && <div>To change that: {withLocalTimes(gate.change)}</div>}
    </li>
  );
}
