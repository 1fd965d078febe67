import { Stack, Title } from '@mantine/core';
import { useEffect } from 'react';
import { Notice } from '../components/notice';
import { Logo } from '../shell/logo';
import { PasswordForm } from './password-form';

/** The only screen for somebody whose password was chosen by somebody else. */
export function ForcedPasswordChange() {
  useEffect(() => {
    document.title = 'Choose a password · Greenroom';
  }, []);
  return (
    <main style={{ minHeight: '100vh', display: 'grid', placeItems: 'center', padding: 16 }}>
      <div className="gr-panel" style={{ width: '100%', maxWidth: 460 }}>
        <Stack>
          <Logo />
          <Title order={1}>Choose your password</Title>
          <Notice tone="info">
            The password you have signed in with was chosen by somebody else. Choose one that only you know;
            then you can go on.
          </Notice>
          <PasswordForm />
        </Stack>
      </div>
    </main>
  );
}
