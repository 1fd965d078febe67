import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema, refresh, meQuery, useMe } from '../api/client';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/banner';
import { StatusBadge, CopyButton } from '../components/inline';
import { submitting, useFields } from '../components/fields';
import { encode } from 'uqr';

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
    <Panel title="Second factor" actions={badge} gap="md" align="flex-start">
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
    </Panel>
  );
}

function PasswordPrompt(props: {
  remove: boolean;
  onStarted: (setup: Schema['SecondFactorSetupResponse'] | undefined) => void;
  onCancel: () => void;
}) {
  const { remove, onStarted, onCancel } = props;
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

function SecondFactorSetup(props: { setup: Schema['SecondFactorSetupResponse']; onDone: () => void }) {
  const { setup, onDone } = props;
  const fields = useFields({ code: '' });
  const confirm = useMutation({
    mutationFn: () => api.POST('/admin/me/second-factor/confirm', {}, fields.values),
    onSuccess: onDone,
  });
  const secret = new URL(setup.totp_uri).searchParams.get('secret') ?? '';
  const codes = setup.backup_codes;
  return (
    <Panel title="Set up the second factor" gap="md">
      <Text>1. Scan this with your authenticator app, or type the secret into it.</Text>
      <Group align="flex-start">
        <QrCode text={setup.totp_uri} />
        <Stack gap="xs" style={{ flex: '1 1 14rem', minWidth: 0 }}>
          <code className="gr-secret">{secret}</code>
          <CopyButton value={secret} what="the secret" />
        </Stack>
      </Group>
      <Text>
        2. Keep these backup codes. Each works once, when you do not have the app; they are not shown again.
      </Text>
      <Stack gap="xs" align="flex-start">
        <ul className="gr-secret gr-choices gr-codes" aria-label="Backup codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyButton value={codes.join('\n')} what="the backup codes" />
      </Stack>
      <form onSubmit={submitting(() => confirm.mutate())}>
        <Stack maw={420}>
          <TextInput
            label="3. The code that the app shows now"
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            {...fields.text('code', confirm.error)}
          />
          <ProblemBanner error={confirm.error} fields={['code']} />
          <Button type="submit" loading={confirm.isPending} style={{ alignSelf: 'flex-start' }}>
            Switch it on
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}

const QUIET_ZONE = 3;

/** Dark on light in both colour schemes: cameras want it so. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 0 });
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])))
    .join('');
  const side = size + 2 * QUIET_ZONE;
  return (
    <svg
      role="img"
      aria-label="QR code for the authenticator app"
      width="190"
      height="190"
      viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`}
      style={{ background: '#fff', borderRadius: 8, flex: 'none' }}
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
