import { Button, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api, unwrap, type Schema } from '../api/client';
import { Notice } from '../components/notice';
import { PageHeader, Panel } from '../components/page';
import { ProblemNotice } from '../components/problem-notice';
import { StatusBadge } from '../components/status-badge';
import { toNumber, useFields } from '../components/use-fields';
import { submitting } from '../session/sign-in-steps';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const FIELDS = ['address', 'method', 'path', 'cost', 'secret_number'];
export const GATE_NAMES: Record<Schema['ExplainedGate']['gate'], string> = {
  route: 'Operation',
  credential: 'Secret',
  state: 'State of the key',
  account: 'Account',
  ip: 'Address',
  scope: 'Permission',
  limit: 'Requests per minute',
  concurrency: 'Generations at once',
  tier: 'Tier',
  credits: 'Credits',
};

/** Why a request with this key is let in or refused, gate by gate. */
export function ExplainPage() {
  const { keyId = '' } = useParams({ strict: false });
  const fields = useFields({
    address: '',
    method: 'POST',
    path: '/v1/text-to-voice',
    cost: '',
    secret_number: '',
  });
  const explain = useMutation({
    mutationFn: () => {
      const { address, method, path, cost, secret_number } = fields.values;
      const body = {
        address,
        method: method as 'GET',
        path,
        ...(cost !== '' && { cost: toNumber(cost) ?? 0 }),
        ...(secret_number !== '' && { secret_number: toNumber(secret_number) ?? 1 }),
      };
      return unwrap(
        api.POST('/admin/api-keys/{key_id}/explain', { params: { path: { key_id: keyId } }, body }),
      );
    },
  });
  return (
    <Stack>
      <PageHeader
        title="Explain a request"
        above={
          <Link to="/api-keys/$keyId" params={{ keyId }}>
            The key
          </Link>
        }
        hint="Uses the same rules as real requests. Nothing is charged or counted."
      />
      <Panel>
        <form onSubmit={submitting(() => explain.mutate())}>
          <Stack align="flex-start">
            <SimpleGrid cols={{ base: 1, sm: 3 }} w="100%">
              <TextInput
                label="Address of the client"
                placeholder="203.0.113.10"
                required
                {...fields.text('address', explain.error)}
              />
              <NativeSelect label="Method" data={METHODS} {...fields.text('method', explain.error)} />
              <TextInput label="Path" required {...fields.text('path', explain.error)} />
              <TextInput
                label="Credits it costs"
                placeholder="0"
                inputMode="numeric"
                {...fields.text('cost', explain.error)}
              />
              <TextInput
                label="Number of the secret"
                placeholder="The newest"
                inputMode="numeric"
                {...fields.text('secret_number', explain.error)}
              />
            </SimpleGrid>
            <ProblemNotice error={explain.error} fields={FIELDS} />
            <Button type="submit" loading={explain.isPending}>
              Explain
            </Button>
          </Stack>
        </form>
      </Panel>
      {explain.data && <Explanation answer={explain.data} />}
    </Stack>
  );
}

function Explanation({ answer }: { answer: Schema['ExplainResponse'] }) {
  const deciding = answer.gates.find(({ gate }) => gate === answer.decided_by);
  const code = deciding?.refusal;
  return (
    <>
      <Notice
        tone={answer.allowed ? 'good' : 'bad'}
        title={answer.allowed ? 'Let in.' : `Refused with ${code?.status} ${code?.code}.`}
      >
        {answer.route ? `Operation: ${answer.route}` : 'No operation is served there.'}
      </Notice>
      <Panel title="Gates, in the order in which a request meets them">
        <ol style={{ listStyle: 'none', margin: 0, padding: 0, display: 'grid', gap: 10 }}>
          {answer.gates.map((gate) => (
            <GateRow key={gate.gate} gate={gate} decides={gate.gate === answer.decided_by} />
          ))}
        </ol>
      </Panel>
    </>
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
      <div>{gate.rule}</div>
      {gate.change && <div>To change that: {gate.change}</div>}
    </li>
  );
}
