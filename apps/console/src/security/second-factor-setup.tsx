import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { encode } from 'uqr';
import { api, type Schema } from '../api/client';
import { CopyButton } from '../components/copy-button';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/problem-banner';
import { useFields } from '../components/use-fields';
import { submitting } from '../session/sign-in-steps';

/** The secret for the authenticator app, the backup codes, and a first code as the proof that it works. */
export function SecondFactorSetup({
  setup,
  onDone,
}: {
  setup: Schema['SecondFactorSetupResponse'];
  onDone: () => void;
}) {
  const fields = useFields({ code: '' });
  const confirm = useMutation({
    mutationFn: () => api.POST('/admin/me/second-factor/confirm', {}, fields.values),
    onSuccess: onDone,
  });
  const secret = new URL(setup.totp_uri).searchParams.get('secret') ?? '';
  const codes = setup.backup_codes;
  return (
    <Panel title="Set up the second factor">
      <Stack>
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
      </Stack>
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
