import { Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { api, unwrap } from '../api/client';
import { queryClient } from '../api/query-client';
import { words } from '../components/number';
import { useMe } from '../session/me';
import { UserButton } from './user-button';

/** Who is signed in, and what concerns only them. */
export function UserMenu({ onHelp }: { onHelp: () => void }) {
  const me = useMe();
  const router = useRouter();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const signOut = async () => {
    await unwrap(api.POST('/admin/auth/sign-out')).catch(() => undefined);
    queryClient.clear();
    await router.navigate({ to: '/sign-in' });
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UserButton />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label style={{ overflowWrap: 'anywhere' }}>
          {me.email}, {words(me.role)}
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
      </Menu.Dropdown>
    </Menu>
  );
}
