import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, type Me } from '../api/client';
import { Dialog } from '../components/dialog';
import { ProblemBanner } from '../components/banner';
import { useFields } from '../components/fields';
import { confirmWithPasskey, PasskeyButton } from './passkey';
import { submitting } from './sign-in-steps';

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
