import { Stack, Text, Button } from '@mantine/core';
import { useState } from 'react';
import { Banner, ProblemBanner } from '../components/banner';
import { StatusBadge, UserText, Time } from '../components/inline';
import { PageHeader, Panel } from '../components/page';
import { PasswordForm } from '../session/password-form';
import { PasskeysPanel } from './passkeys-panel';
import { SecondFactorPanel } from './second-factor-panel';
import { refresh, api, read, type Schema } from '../api/client';
import { LoadedTable } from '../components/simple-table';
import { useMutation, useQuery } from '@tanstack/react-query';
import { plural } from '../components/number';
import { deviceName } from './device-name';

export default function SecurityPage() {
  const [changed, setChanged] = useState(false);
  const passwordChanged = () => {
    setChanged(true);
    void refresh(SESSIONS_KEY);
  };
  return (
    <Stack>
      <PageHeader title="Sign-in and sessions" hint="How you sign in, and where you are signed in." />
      <SecondFactorPanel />
      <PasskeysPanel />
      <Panel title="Password" gap="md">
        <Text c="dimmed">Changing it ends your other sessions.</Text>
        {changed && (
          <Banner tone="good">The password has been changed, and your other sessions have ended.</Banner>
        )}
        <PasswordForm onDone={passwordChanged} />
      </Panel>
      <SessionsPanel />
    </Stack>
  );
}

type Session = Schema['OwnSessionResponse'];

const SESSIONS_KEY = ['own-sessions'];

function SessionsPanel() {
  const query = useQuery(read(SESSIONS_KEY, '/admin/me/sessions'));
  const end = useMutation({
    mutationFn: async (session: Session | null) => {
      if (session === null) {
        const { ended } = await api.POST('/admin/me/end-other-sessions');
        return `${plural(ended, 'other session')} ended.`;
      }
      await api.POST('/admin/me/sessions/{session_id}/end', session.id);
      return `The session in ${deviceName(session.user_agent)} ended.`;
    },
    onSettled: () => refresh(SESSIONS_KEY),
  });
  const hasOthers = query.data?.items.some(({ current }) => !current) ?? false;
  return (
    <Panel
      title="Sessions"
      actions={
        hasOthers && (
          <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate(null)}>
            End all others
          </Button>
        )
      }
      gap="md"
    >
      <Text c="dimmed">A session ends after 30 minutes without a request, and after 12 hours.</Text>
      {end.data !== undefined && <Banner tone="good">{end.data}</Banner>}
      <ProblemBanner error={end.error} />
      <LoadedTable
        name="Sessions"
        query={query}
        columns={[
          {
            header: 'Browser',
            cell: (session) => (
              <span title={session.user_agent ?? undefined}>
                <UserText>{deviceName(session.user_agent)}</UserText>
              </span>
            ),
          },
          {
            header: 'Address',
            cell: (session) => <span className="gr-mono">{session.address ?? 'unknown'}</span>,
          },
          { header: 'Since', cell: (session) => <Time at={session.created_at} /> },
          { header: 'Last seen', cell: (session) => <Time at={session.last_seen_at} relative /> },
          {
            header: 'Action',
            cell: (session) =>
              session.current ? (
                <StatusBadge tone="good">this one</StatusBadge>
              ) : (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`End the session in ${deviceName(session.user_agent)}`}
                  onClick={() => end.mutate(session)}
                >
                  End
                </Button>
              ),
          },
        ]}
      />
    </Panel>
  );
}
