import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { Banner, ProblemBanner } from '../components/banner';
import { submitting, useFields } from '../components/fields';
import { takeInvitation } from './invitation';

/** Password, then the second factor when there is one. `email` presets who signs in. */
export function SignInSteps({ email = '', onDone }: { email?: string; onDone: () => void }) {
  const [step, setStep] = useState<'password' | 'code'>('password');
  return step === 'password' ? (
    <PasswordStep email={email} onDone={(status) => (status === 'signed_in' ? onDone() : setStep('code'))} />
  ) : (
    <CodeStep onDone={onDone} onBack={() => setStep('password')} />
  );
}

function PasswordStep({ email, onDone }: { email: string; onDone: (status: string) => void }) {
  const [invitation] = useState(() => (email === '' ? takeInvitation() : null));
  const fields = useFields({ email: invitation?.email ?? email, password: invitation?.password ?? '' });
  const signIn = useMutation({
    mutationFn: () => api.POST('/admin/auth/sign-in', {}, fields.values),
    onSuccess: ({ status }) => onDone(status),
  });
  return (
    <form onSubmit={submitting(() => signIn.mutate())}>
      <Stack>
        {invitation && <Banner>You are invited. Sign in, then choose a password of yours.</Banner>}
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          required
          autoFocus={email === ''}
          data-autofocus={email === '' || undefined}
          {...fields.text('email', signIn.error)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus={email !== '' || undefined}
          {...fields.text('password', signIn.error)}
        />
        <ProblemBanner error={signIn.error} fields={['email', 'password']} />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

function CodeStep({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const fields = useFields({ code: '' });
  const confirm = useMutation({
    mutationFn: () => api.POST('/admin/auth/second-factor', {}, fields.values),
    onSuccess: onDone,
  });
  return (
    <form onSubmit={submitting(() => confirm.mutate())}>
      <Stack>
        <TextInput
          label="Code"
          description="Six digits from the authenticator app, or one of the backup codes."
          autoComplete="one-time-code"
          autoFocus
          required
          {...fields.text('code', confirm.error)}
        />
        <ProblemBanner error={confirm.error} fields={['code']} />
        <Button type="submit" loading={confirm.isPending}>
          Continue
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          Start over
        </Anchor>
      </Stack>
    </form>
  );
}
