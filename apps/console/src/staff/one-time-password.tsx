import { Stack } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../components/copy-button';
import { LeaveConfirmation } from '../components/leave-confirmation';
import { Banner } from '../components/banner';

/** A temporary password of a person: shown once, to be handed over. */
export function OneTimePassword({ text, password }: { text: string; password: string }) {
  const [copied, setCopied] = useState<string | null>(null);
  return (
    <Banner tone="warn" title={text}>
      <Stack gap="xs" mt="xs" align="flex-start">
        Hand this one-time password over now; it is not shown again, and has to be changed at the first
        sign-in.
        <code className="gr-secret" aria-label="The one-time password">
          {password}
        </code>
        <CopyButton value={password} what="the one-time password" onCopy={() => setCopied(password)} />
        <LeaveConfirmation
          when={copied !== password}
          title="Leave without the one-time password?"
          text="You have not copied it, and it cannot be shown again. The person would need another one."
        />
      </Stack>
    </Banner>
  );
}
