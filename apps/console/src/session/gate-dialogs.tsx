import { Button, Stack, Text, PasswordInput, TextInput } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { queryClient, meQuery, type Me, api } from '../api/client';
import { signInWithPasskey, PasskeyButton, confirmWithPasskey } from './passkey';
import { SignInSteps } from './sign-in-steps';
import { Dialog } from '../components/dialog';
import { ProblemBanner } from '../components/banner';
import { submitting, useFields } from '../components/fields';

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

export function SignInConfirmation({ who, onClose }: { who: Me; onClose: (confirmed: boolean) => void }) {
  return (
    <Dialog title="Confirm that it is you" of={null} insistent discards onClose={() => onClose(false)}>
      <Text mb="sm">
        This change needs a recent confirmation, which is valid for ten minutes. Without a password, an app or
        a passkey, sign out and in again.
      </Text>
      <Stack>
        {who.passkeys > 0 && (
          <PasskeyButton
            label="Confirm with a passkey"
            prove={confirmWithPasskey}
            onDone={() => onClose(true)}
          />
        )}
        <ConfirmationForm withCode={who.second_factor} onDone={() => onClose(true)} />
      </Stack>
    </Dialog>
  );
}

function ConfirmationForm({ withCode, onDone }: { withCode: boolean; onDone: () => void }) {
  const fields = useFields({ code: '', password: '' });
  const { code, password } = fields.values;
  const confirm = useMutation({
    mutationFn: () => api.POST('/admin/me/confirm-sign-in', {}, withCode ? { code } : { password }),
    onSuccess: onDone,
  });
  return (
    <form onSubmit={submitting(() => confirm.mutate())}>
      <Stack>
        {withCode ? (
          <TextInput
            label="Code of your authenticator app"
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            data-autofocus
            {...fields.text('code', confirm.error)}
          />
        ) : (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            required
            data-autofocus
            {...fields.text('password', confirm.error)}
          />
        )}
        <ProblemBanner error={confirm.error} fields={['code', 'password']} />
        <Button type="submit" loading={confirm.isPending}>
          Confirm
        </Button>
      </Stack>
    </form>
  );
}
