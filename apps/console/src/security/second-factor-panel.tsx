import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema } from '../api/client';
import { refresh } from '../api/query-client';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/problem-banner';
import { StatusBadge } from '../components/status-badge';
import { useFields } from '../components/use-fields';
import { meQuery, useMe } from '../api/me';
import { submitting } from '../session/sign-in-steps';
import { SecondFactorSetup } from './second-factor-setup';

/** Whether signing in needs a code beside the password; setting that up, and removing it. */
export function SecondFactorPanel() {
  const { second_factor: on, second_factor_required: required, passkeys } = useMe();
  const [step, setStep] = useState<'rest' | 'password'>('rest');
  const [setup, setSetup] = useState<Schema['SecondFactorSetupResponse'] | null>(null);
  const finish = () => {
    setSetup(null);
    setStep('rest');
    void refresh(meQuery.queryKey);
  };
  if (setup) return <SecondFactorSetup setup={setup} onDone={finish} />;
  const badge = <StatusBadge tone={on ? 'good' : 'warn'}>{on ? 'on' : 'off'}</StatusBadge>;
  return (
    <Panel title="Second factor" actions={badge}>
      <Stack align="flex-start">
        <Text>
          {on
            ? 'Signing in with your password needs a code from your authenticator app.'
            : 'A person who learns your password can sign in as you. A code from an authenticator app on your phone prevents that.'}
        </Text>
        {on && required && passkeys === 0 ? (
          <Text>Your role requires it: an admin can reset it if you lose the app.</Text>
        ) : step === 'rest' ? (
          <Button variant={on ? 'default' : 'filled'} onClick={() => setStep('password')}>
            {on ? 'Remove the second factor' : 'Set up a second factor'}
          </Button>
        ) : (
          <PasswordPrompt
            remove={on}
            onStarted={(response) => (response ? setSetup(response) : finish())}
            onCancel={() => setStep('rest')}
          />
        )}
      </Stack>
    </Panel>
  );
}

/** Requires the password again, then begins the set-up or removes the factor. */
function PasswordPrompt({
  remove,
  onStarted,
  onCancel,
}: {
  remove: boolean;
  onStarted: (setup: Schema['SecondFactorSetupResponse'] | undefined) => void;
  onCancel: () => void;
}) {
  const fields = useFields({ password: '' });
  const start = useMutation({
    mutationFn: async () => {
      const body = fields.values;
      if (!remove) return api.POST('/admin/me/second-factor', {}, body);
      await api.POST('/admin/me/second-factor/remove', {}, body);
      return undefined;
    },
    onSuccess: onStarted,
  });
  return (
    <form onSubmit={submitting(() => start.mutate())}>
      <Stack maw={420}>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          autoFocus
          required
          {...fields.text('password', start.error)}
        />
        <ProblemBanner error={start.error} fields={['password']} />
        <Group>
          <Button type="submit" loading={start.isPending} color={remove ? 'red' : undefined}>
            {remove ? 'Remove' : 'Continue'}
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
