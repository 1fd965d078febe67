import { Stack } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../components/notice';
import { PageHeader, Panel } from '../components/page';
import { PasswordForm } from '../session/password-form';
import { SecondFactorPanel } from './second-factor-panel';

/** One's own sign-in. */
export function SecurityPage() {
  const [changed, setChanged] = useState(false);
  return (
    <Stack>
      <PageHeader
        title="Password and second factor"
        hint="How you sign in. Changes end your other sessions."
      />
      <SecondFactorPanel />
      <Panel title="Password">
        <Stack>
          {changed && (
            <Notice tone="good">The password has been changed, and your other sessions have ended.</Notice>
          )}
          <PasswordForm onDone={() => setChanged(true)} />
        </Stack>
      </Panel>
    </Stack>
  );
}
