import { Button, Group } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { SimpleTable } from '../components/simple-table';
import { api, type Schema, useMay } from '../api/client';
import { ActionButton } from '../components/action-dialog';
import { Panel } from '../components/page';
import { Banner } from '../components/banner';
import { StatusBadge, type Tone, Time, CopyButton } from '../components/inline';
import { afterRotation } from '../components/after-change';
import { LastUse, type KeyDone } from './key-change';
import { LeaveConfirmation } from '../components/leave-confirmation';

type Detail = Schema['ApiKeyDetailResponse'];

const TONES: Record<string, Tone> = { current: 'good', retiring: 'warn', retired: 'calm' };

export function SecretsPanel({ apiKey, onDone }: { apiKey: Detail; onDone: (done: KeyDone) => void }) {
  const may = useMay();
  const isRotating = apiKey.secrets.some(({ state }) => state === 'retiring');
  const endRotation = async (reason: string) => {
    const saved = await api.POST('/admin/api-keys/{key_id}/end-rotation', apiKey.id, { reason }, apiKey);
    onDone({ text: 'The old secret has been ended.', saved, ...afterRotation(saved) });
  };
  return (
    <Panel
      title="Secrets"
      actions={
        isRotating &&
        may('keys.write') && (
          <ActionButton
            label="End the old secret now…"
            size="xs"
            title="End the old secret now"
            of={apiKey.name}
            consequence="Programs that still use the old secret are refused at once. Look at its last use first."
            action="End it"
            danger
            onConfirm={endRotation}
          />
        )
      }
    >
      <SimpleTable
        name="Secrets of the key"
        rows={apiKey.secrets}
        rowId={({ number }) => String(number)}
        columns={[
          { header: 'Number', cell: (secret) => secret.number },
          { header: 'Ends in', className: 'gr-mono', cell: (secret) => secret.hint },
          {
            header: 'State',
            cell: (secret) => <StatusBadge tone={TONES[secret.state] ?? 'calm'}>{secret.state}</StatusBadge>,
          },
          { header: 'Created', cell: (secret) => <Time at={secret.created_at} /> },
          { header: 'Stops working', cell: (secret) => <Time at={secret.retires_at} /> },
          {
            header: 'Last use',
            cell: (secret) => <LastUse at={secret.last_used_at} from={secret.last_used_from} />,
          },
        ]}
      />
    </Panel>
  );
}

/** A secret, shown this once. Leaving without having copied it needs a confirmation. */
export function SecretPanel(props: {
  secret: string;
  title: ReactNode;
  ifLost?: string;
  /** Takes it off the screen; offered once it was copied. */
  onHide?: () => void;
  children?: ReactNode;
}) {
  const { secret, title, ifLost = 'rotate the key', onHide, children } = props;
  const [copied, setCopied] = useState(false);
  return (
    <Panel title={title} gap="xs">
      <Banner tone="warn" title="Copy the secret now. It is not shown again.">
        Only a fingerprint of it is stored here. If it is lost, {ifLost}.
      </Banner>
      <Group gap="xs">
        <code className="gr-secret" aria-label="The secret">
          {secret}
        </code>
        <CopyButton value={secret} what="the secret" onCopy={() => setCopied(true)} />
        {copied && onHide && (
          <Button size="compact-xs" variant="default" onClick={onHide}>
            Hide it
          </Button>
        )}
        {children}
      </Group>
      <LeaveConfirmation
        when={!copied}
        title="Leave without the secret?"
        text="You have not copied the secret, and it cannot be shown again."
      />
    </Panel>
  );
}
