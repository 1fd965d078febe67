import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, unwrap, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { Panel } from '../components/page';
import { StatusBadge, type Tone } from '../components/status-badge';
import { Time } from '../components/time';
import { useMay } from '../session/me';
import { LastUse, target, type KeyDone } from './key-change';

type Detail = Schema['ApiKeyDetailResponse'];

const TONES: Record<string, Tone> = { current: 'good', retiring: 'warn', retired: 'calm' };

/** The secrets of a key, newest first; during a rotation, the way to end it early. */
export function SecretsPanel({ apiKey, onDone }: { apiKey: Detail; onDone: (done: KeyDone) => void }) {
  const may = useMay();
  const [ending, end] = useDisclosure();
  const isRotating = apiKey.secrets.some(({ state }) => state === 'retiring');
  const endRotation = async (reason: string) => {
    const call = api.POST('/admin/api-keys/{key_id}/end-rotation', {
      params: target(apiKey),
      body: { reason },
    });
    onDone({ text: 'The old secret has been ended.', saved: await unwrap(call) });
  };
  return (
    <Panel
      title="Secrets"
      actions={
        isRotating &&
        may('keys.write') && (
          <Button size="xs" variant="default" onClick={end.open}>
            End the old secret now…
          </Button>
        )
      }
    >
      <div className="gr-scroll" role="region" aria-label="Secrets of the key, the table" tabIndex={0}>
        <table className="gr-table gr-stacks" aria-label="Secrets of the key">
          <thead>
            <tr>
              <th>Number</th>
              <th>Ends in</th>
              <th>State</th>
              <th>Created</th>
              <th>Stops working</th>
              <th>Last use</th>
            </tr>
          </thead>
          <tbody>
            {apiKey.secrets.map((secret) => (
              <tr key={secret.number}>
                <td data-label="Number">{secret.number}</td>
                <td data-label="Ends in" className="gr-mono">
                  {secret.hint}
                </td>
                <td data-label="State">
                  <StatusBadge tone={TONES[secret.state] ?? 'calm'}>{secret.state}</StatusBadge>
                </td>
                <td data-label="Created">
                  <Time at={secret.created_at} />
                </td>
                <td data-label="Stops working">
                  <Time at={secret.retires_at} />
                </td>
                <td data-label="Last use">
                  <LastUse at={secret.last_used_at} from={secret.last_used_from} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {ending && (
        <ActionDialog
          title="End the old secret now"
          consequence="Programs that still use the old secret are refused at once. Look at its last use first."
          action="End it"
          danger
          onConfirm={endRotation}
          onClose={end.close}
        />
      )}
    </Panel>
  );
}
