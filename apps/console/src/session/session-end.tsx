import { Stack, Text } from '@mantine/core';
import { queryClient } from '../api/query-client';
import { meQuery, type Me } from './me';
import { signInWithPasskey } from './passkey';
import { PasskeyButton } from './passkey-button';
import { SignInSteps } from './sign-in-steps';
import { Dialog } from '../components/dialog';

/** Signing in over the page when the session has ended, so that what was typed stays. */
export function SessionEnd({ who, onClose }: { who: Me; onClose: (signedIn: boolean) => void }) {
  const signedIn = async () => {
    await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
    const now = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 }).catch(() => null);
    // Another person's page, with another person's rights: start again.
    if (now !== null && now.id !== who.id) window.location.assign('/console/');
    else onClose(now !== null);
  };
  return (
    <Dialog title="Your session has ended" insistent onClose={() => onClose(false)}>
      <Text mb="sm">Sign in again to continue. What you have typed is still there.</Text>
      <Stack>
        <SignInSteps email={who.email} onDone={() => void signedIn()} />
        {who.passkeys > 0 && (
          <PasskeyButton
            label="Sign in with a passkey"
            prove={signInWithPasskey}
            onDone={() => void signedIn()}
          />
        )}
      </Stack>
    </Dialog>
  );
}
