import { Button, Group, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CopyButton } from '../components/copy-button';
import { LeaveConfirmation } from '../components/leave-confirmation';
import { Banner } from '../components/banner';
import { Panel } from '../components/page';

/** A secret, shown this once. Leaving without having copied it needs a confirmation. */
export function SecretPanel(props: {
  secret: string;
  title: ReactNode;
  /** What to do then. */
  ifLost?: string;
  /** Takes it off the screen; offered once it was copied. */
  onHide?: () => void;
  children?: ReactNode;
}) {
  const { secret, title, ifLost = 'rotate the key', onHide, children } = props;
  const [copied, setCopied] = useState(false);
  return (
    <Panel title={title}>
      <Stack gap="xs">
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
      </Stack>
      <LeaveConfirmation
        when={!copied}
        title="Leave without the secret?"
        text="You have not copied the secret, and it cannot be shown again."
      />
    </Panel>
  );
}
