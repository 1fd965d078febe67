import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, unwrap } from '../api/client';
import { queryClient } from '../api/query-client';
import { confirmationGate, setupGate } from '../api/session-gate';
import { Dialog } from '../components/dialog';
import { ProblemNotice } from '../components/problem-notice';
import { useFields } from '../components/use-fields';
import { meQuery, type Me } from './me';
import { confirmWithPasskey } from './passkey';
import { PasskeyButton } from './passkey-button';
import { submitting } from './sign-in-steps';

/** Requires the password or a code before a change that needs a recent confirmation; then sends the change. */
export function SignInConfirmation() {
  const [who, setWho] = useState<Me | null>(null);
  const answer = useRef<(confirmed: boolean) => void>(undefined);
  useEffect(() => {
    setupGate.onRefusal(async () => {
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      return false;
    });
    confirmationGate.onRefusal(async () => {
      setWho(await queryClient.fetchQuery({ ...meQuery, staleTime: 0 }));
      return new Promise((resolve) => {
        answer.current = resolve;
      });
    });
  }, []);
  if (who === null) return null;
  const close = (confirmed: boolean) => {
    setWho(null);
    answer.current?.(confirmed);
  };
  return (
    <Dialog title="Confirm that it is you" insistent onClose={() => close(false)}>
      <Text mb="sm">
        This change needs a recent confirmation, which is valid for ten minutes. Without a password, an app or
        a passkey, sign out and in again.
      </Text>
      <Stack>
        {who.passkeys > 0 && (
          <PasskeyButton
            label="Confirm with a passkey"
            prove={confirmWithPasskey}
            onDone={() => close(true)}
          />
        )}
        <ConfirmationForm withCode={who.second_factor} onDone={() => close(true)} />
      </Stack>
    </Dialog>
  );
}

function ConfirmationForm({ withCode, onDone }: { withCode: boolean; onDone: () => void }) {
  const fields = useFields({ code: '', password: '' });
  const { code, password } = fields.values;
  const confirm = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/admin/me/confirm-sign-in', { body: withCode ? { code } : { password } })),
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
        <ProblemNotice error={confirm.error} fields={['code', 'password']} />
        <Button type="submit" loading={confirm.isPending}>
          Confirm
        </Button>
      </Stack>
    </form>
  );
}
