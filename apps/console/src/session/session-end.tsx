import { Button, Stack, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { queryClient, meQuery, type Me } from '../api/client';
import { signInWithPasskey, PasskeyButton } from './passkey';
import { SignInSteps } from './sign-in-steps';
import { Dialog } from '../components/dialog';

/** Signing in over the page when the session has ended, so that what was typed stays. */
export function SessionEnd({ who, onClose }: { who: Me; onClose: (signedIn: boolean) => void }) {
  const router = useRouter();
  const startAgain = () => {
    // What was typed here is of another person: leave without a confirmation.
    router.history.destroy();
    window.location.assign('/console/');
  };
  const [other, setOther] = useState<Me | null>(null);
  const signedIn = async () => {
    const now = await readSignedIn();
    // Another person's page, with another person's rights: start again.
    if (now !== null && now.id !== who.id) return startAgain();
    if (now !== null) queryClient.setQueryData(meQuery.queryKey, now);
    onClose(now !== null);
  };
  useEffect(() => {
    void readSignedIn().then((now) => setOther(now?.id === who.id ? null : now));
  }, [who.id]);
  return (
    <Dialog
      title={other ? 'Another person has signed in' : 'Your session has ended'}
      of={null}
      insistent
      discards
      onClose={() => onClose(false)}
    >
      <Text mb="sm">
        {other
          ? `In this browser, ${other.email} has signed in since. This page is still yours, and nothing was sent: sign in again to continue, or leave it to ${other.email}.`
          : 'Sign in again to continue. What you have typed is still there.'}
      </Text>
      <Stack>
        <SignInSteps email={who.email} onDone={() => void signedIn()} />
        {who.passkeys > 0 && (
          <PasskeyButton
            label="Sign in with a passkey"
            prove={signInWithPasskey}
            onDone={() => void signedIn()}
          />
        )}
        {other && (
          <Button variant="default" onClick={startAgain}>
            Continue as {other.email}
          </Button>
        )}
      </Stack>
    </Dialog>
  );
}

/** Who is signed in in this browser, who need not be whom the page was drawn for. */
async function readSignedIn(): Promise<Me | null> {
  const response = await fetch('/admin/me').catch(() => null);
  return response?.ok ? ((await response.json()) as Me) : null;
}
