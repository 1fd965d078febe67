import { Stack, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { Notice } from '../components/notice';
import { SecondFactorPanel } from '../security/second-factor-panel';
import { Logo } from '../shell/logo';
import { PasswordForm } from './password-form';

/** The only screen for a member whose password is a temporary one. */
export function PasswordSetup() {
  return (
    <SetupScreen
      title="Choose your password"
      why="The password you have signed in with is a temporary one. Choose one that only you know; then you can continue."
    >
      <PasswordForm />
    </SetupScreen>
  );
}

/** The only screen for a member whose role requires a second factor, until there is one. */
export function SecondFactorSetupScreen() {
  return (
    <SetupScreen
      title="Set up your second factor"
      why="Your role requires a second factor. Set one up with an authenticator app on your phone; then you can continue."
    >
      <SecondFactorPanel />
    </SetupScreen>
  );
}

function SetupScreen({ title, why, children }: { title: string; why: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Greenroom`;
  }, [title]);
  return (
    <main style={{ minHeight: '100vh', display: 'grid', placeItems: 'center', padding: 16 }}>
      <div className="gr-panel" style={{ width: '100%', maxWidth: 520 }}>
        <Stack>
          <Logo />
          <Title order={1}>{title}</Title>
          <Notice tone="info">{why}</Notice>
          {children}
        </Stack>
      </div>
    </main>
  );
}
