import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Banner } from '../components/banner';
import { PageHeader, Panel } from '../components/page';
import { PasswordForm } from '../session/password-form';
import { PasskeysPanel } from './passkeys-panel';
import { SecondFactorPanel } from './second-factor-panel';
import { SESSIONS_KEY, SessionsPanel } from './sessions-panel';
import { refresh } from '../api/query-client';

/** One's own sign-in. */
export function SecurityPage() {
  const [changed, setChanged] = useState(false);
  const passwordChanged = () => {
    setChanged(true);
    void refresh(SESSIONS_KEY);
  };
  return (
    <Stack>
      <PageHeader title="Sign-in and sessions" hint="How you sign in, and where you are signed in." />
      <SecondFactorPanel />
      <PasskeysPanel />
      <Panel title="Password">
        <Stack>
          <Text c="dimmed">Changing it ends your other sessions.</Text>
          {changed && (
            <Banner tone="good">The password has been changed, and your other sessions have ended.</Banner>
          )}
          <PasswordForm onDone={passwordChanged} />
        </Stack>
      </Panel>
      <SessionsPanel />
    </Stack>
  );
}
