import { MIN_PASSWORD_LENGTH } from '@app/domain/staff/password-rules';
import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, refresh, meQuery, useMe } from '../api/client';
import { ProblemBanner } from '../components/banner';
import { submitting, useFields } from '../components/fields';
import { takeInvitation } from './invitation';

const EMPTY = { current_password: '', new_password: '', repeated: '' };

export function PasswordForm({ onDone }: { onDone?: () => void }) {
  const { email } = useMe();
  const [invitation] = useState(takeInvitation);
  const invited = invitation?.email === email ? { current_password: invitation.password } : null;
  const fields = useFields({ ...EMPTY, ...invited });
  const [differs, setDiffers] = useState(false);
  const { repeated, ...body } = fields.values;
  const change = useMutation({
    mutationFn: () => api.POST('/admin/me/password', {}, body),
    onSuccess: async () => {
      fields.set(EMPTY);
      await refresh(meQuery.queryKey);
      onDone?.();
    },
  });
  const repeatedField = fields.text('repeated');
  const submit = () => {
    setDiffers(body.new_password !== repeated);
    if (body.new_password === repeated) change.mutate();
  };
  return (
    <form onSubmit={submitting(submit)}>
      <Stack maw={420}>
        {/* For password managers: whose password is changed. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        {!invited && (
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            {...fields.text('current_password', change.error)}
          />
        )}
        <PasswordInput
          label="New password"
          description={`At least ${MIN_PASSWORD_LENGTH} characters; a few unrelated words are best.`}
          autoComplete="new-password"
          required
          {...fields.text('new_password', change.error)}
        />
        <PasswordInput
          label="New password again"
          autoComplete="new-password"
          required
          {...repeatedField}
          error={differs ? 'The two passwords are not the same.' : repeatedField.error}
        />
        <ProblemBanner
          error={change.error}
          fields={invited ? ['new_password'] : ['current_password', 'new_password']}
        />
        <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
          Change the password
        </Button>
      </Stack>
    </form>
  );
}
