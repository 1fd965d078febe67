import { Stack } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../components/copy-button';
import { LeaveConfirmation } from '../components/leave-confirmation';
import { Banner } from '../components/banner';

/** How a person signs in and chooses a password: shown once, to be handed over. */
export function InvitationBanner({ text, invitation }: { text: string; invitation: string }) {
  const [copied, setCopied] = useState<string | null>(null);
  return (
    <Banner tone="warn" title={text}>
      <Stack gap="xs" mt="xs" align="flex-start">
        Send this link to them now; it is not shown again. It signs them in, and they choose a password.
        <code className="gr-secret" aria-label="The invitation">
          {invitation}
        </code>
        <CopyButton value={invitation} what="the invitation" onCopy={() => setCopied(invitation)} />
        <LeaveConfirmation
          when={copied !== invitation}
          title="Leave without the invitation?"
          text="You have not copied it, and it cannot be shown again. The person would need another one."
        />
      </Stack>
    </Banner>
  );
}
