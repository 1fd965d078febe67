import { useQuery } from '@tanstack/react-query';
import { Banner } from '../components/banner';
import { SecondFactorPanel } from '../security/second-factor-panel';
import { PasskeysPanel } from '../security/passkeys-panel';
import { meQuery, useMe, refresh } from '../api/client';
import { confirmWithPasskey, methodsQuery, passkeyObstacle, PasskeyButton } from '../session/passkey';
import { StandalonePage } from '../session/standalone-page';
import { PasswordForm } from '../session/password-form';

/** The only screen for a member whose password is a temporary one. */
export function PasswordSetup() {
  return (
    <StandalonePage
      title="Choose your password"
      why="The password you have signed in with is a temporary one. Choose one that only you know; then you can continue."
    >
      <PasswordForm />
    </StandalonePage>
  );
}

/** The only screen for a member whose role requires a second factor, until there is one. */
export function SecondFactorSetupScreen() {
  const { passkeys } = useMe();
  if (passkeys > 0) return <PasskeyScreen />;
  return (
    <StandalonePage
      title="Set up your second factor"
      why="Your role requires a second factor. Set one up, with an authenticator app on your phone or with a passkey; then you can continue."
    >
      <SecondFactorPanel />
      <PasskeysPanel />
    </StandalonePage>
  );
}

/** The only screen for such a member who has a passkey and has not used it in this session. */
function PasskeyScreen() {
  const { data: methods } = useQuery(methodsQuery);
  const obstacle = methods ? passkeyObstacle(methods.passkey_host) : null;
  return (
    <StandalonePage
      title="Use your passkey"
      why="Your role requires a second factor, and yours is a passkey. Use it; then you can continue. If you have lost it, an admin can reset it."
    >
      {obstacle !== null && <Banner tone="warn">{obstacle}</Banner>}
      <PasskeyButton
        label="Use your passkey"
        prove={confirmWithPasskey}
        onDone={() => void refresh(meQuery.queryKey)}
      />
    </StandalonePage>
  );
}
