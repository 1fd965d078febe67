import { Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { client, unwrap, clearPerson, useMe } from '../api/client';
import { toProblem } from '../api/problem';
import { Dialog } from '../components/dialog';
import { humanize } from '../components/number';
import { ProblemBanner } from '../components/banner';

export function UserMenu({ target, onHelp }: { target: ReactElement; onHelp: () => void }) {
  const me = useMe();
  const router = useRouter();
  const [problem, setProblem] = useState<unknown>(null);
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const signOut = async () => {
    try {
      // Not through the gate: without a session there is nothing to end, and nothing to sign in for.
      await unwrap(client.POST('/admin/auth/sign-out', { fetch: (request: Request) => fetch(request) }));
    } catch (error) {
      if (toProblem(error).status !== 401) return setProblem(error);
    }
    clearPerson();
    await router.navigate({ to: '/sign-in' });
  };
  return (
    <>
      <Menu position="top-start" width={196}>
        <Menu.Target>{target}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Label style={{ overflowWrap: 'anywhere' }}>
            {me.email}, {humanize(me.role)}
          </Menu.Label>
          <Menu.Item component={Link} to="/security">
            Sign-in and sessions
          </Menu.Item>
          <Menu.Item onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}>
            {scheme === 'dark' ? 'Light colours' : 'Dark colours'}
          </Menu.Item>
          <Menu.Item onClick={() => setColorScheme('auto')}>System colours</Menu.Item>
          <Menu.Item onClick={onHelp}>Keyboard shortcuts</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
          <Menu.Label style={{ overflowWrap: 'anywhere' }}>Greenroom {me.release}</Menu.Label>
        </Menu.Dropdown>
      </Menu>
      {problem !== null && (
        <Dialog title="You are still signed in" of={null} onClose={() => setProblem(null)}>
          <ProblemBanner
            error={problem}
            onRetry={() => {
              setProblem(null);
              void signOut();
            }}
          />
        </Dialog>
      )}
    </>
  );
}
