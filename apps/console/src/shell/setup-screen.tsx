import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Banner } from '../components/banner';
import { SecondFactorPanel } from '../security/second-factor-panel';
import { PasskeysPanel } from '../security/passkeys-panel';
import { Logo } from '../components/logo';
import { meQuery, useMe, refresh } from '../api/client';
import { confirmWithPasskey, methodsQuery, passkeyObstacle, PasskeyButton } from '../session/passkey';
import { PasswordForm } from '../session/password-form';

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
  const { passkeys } = useMe();
  if (passkeys > 0) return <PasskeyScreen />;
  return (
    <SetupScreen
      title="Set up your second factor"
      why="Your role requires a second factor. Set one up, with an authenticator app on your phone or with a passkey; then you can continue."
    >
      <SecondFactorPanel />
      <PasskeysPanel />
    </SetupScreen>
  );
}

/** The only screen for such a member who has a passkey and has not used it in this session. */
function PasskeyScreen() {
  const { data: methods } = useQuery(methodsQuery);
  const obstacle = methods ? passkeyObstacle(methods.passkey_host) : null;
  return (
    <SetupScreen
      title="Use your passkey"
      why="Your role requires a second factor, and yours is a passkey. Use it; then you can continue. If you have lost it, an admin can reset it."
    >
      {obstacle !== null && <Banner tone="warn">{obstacle}</Banner>}
      <PasskeyButton
        label="Use your passkey"
        prove={confirmWithPasskey}
        onDone={() => void refresh(meQuery.queryKey)}
      />
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
          <Banner tone="info">{why}</Banner>
          {children}
        </Stack>
      </div>
    </main>
  );
}
