import { Box, Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useLocation, useMatches, useRouterState, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { useAway, useReturn } from '../api/availability';
import { lazyScreen } from '../api/lazy-screen';
import { useMay, useMe, queryClient } from '../api/client';
import { useIsReplaced } from '../api/release';
import { Banner } from '../components/banner';
import { useKeyPress } from '../components/keyboard';
import { Late } from '../components/late';
import { Logo } from '../components/logo';
import { SiblingTabs } from '../components/page';
import { currentTab, PageTabs, type ScreenEntry } from '../components/page-tabs';
import { Part, ReloadBanner } from '../components/part';
import { pressedKey } from '../components/pressed-key';
import { RevertedNotice } from '../components/reverted-change';
import { MenuLines, Search } from '../icons/icons';
import { Menu } from './menu';
import { menuOf, screensOf, type MenuEntry } from './navigation';
import { NotAllowed } from './problem-pages';

const loadSetup = () => import('./setup-screen');
const PasswordSetup = lazyScreen(loadSetup, 'PasswordSetup');
const SecondFactorSetup = lazyScreen(loadSetup, 'SecondFactorSetupScreen');
const Palette = lazyScreen(() => import('../palette/palette'), 'Palette');
const UserMenu = lazyScreen(() => import('./user-menu'), 'UserMenu');
const ShortcutsDialog = lazyScreen(() => import('./shortcuts-dialog'), 'ShortcutsDialog');

export function Shell() {
  const may = useMay();
  const me = useMe();
  const [menuEntries, screens] = useMemo(() => [menuOf(may), screensOf(may)], [me.role]);
  const [menuOpened, menu] = useDisclosure();
  const [helpOpened, help] = useDisclosure();
  const palette = usePalette();
  const pathname = useLocation({ select: (place) => place.pathname });
  useShortcuts(screens, help.open);
  useEffect(menu.close, [pathname, menu.close]);
  const current = menuEntries.find((entry) => entry.screens.includes(currentTab(screens, pathname)!));
  const needsFactor = me.second_factor_required && !me.second_factor && !me.passkey_used;
  if (me.must_change_password || needsFactor)
    return <Part>{me.must_change_password ? <PasswordSetup /> : <SecondFactorSetup />}</Part>;
  const find = (
    <Button
      variant="default"
      leftSection={<Search size={15} aria-hidden />}
      onClick={palette.open}
      aria-haspopup="dialog"
      title="Ctrl K or ⌘ K"
      aria-keyshortcuts="Control+K Meta+K"
      className="gr-find"
    >
      Find anything <kbd aria-hidden>Ctrl K</kbd>
    </Button>
  );
  return (
    <>
      <a className="gr-skip" href="#main" onClick={focusMain} style={{ zIndex: 101, padding: '8px 16px' }}>
        Skip to the content
      </a>
      <Group
        component="header"
        className="gr-phone-bar"
        hiddenFrom="sm"
        gap="md"
        h={48}
        px="md"
        wrap="nowrap"
      >
        <Button variant="subtle" px={8} onClick={menu.toggle} aria-label="Menu" aria-expanded={menuOpened}>
          <MenuLines size={20} aria-hidden />
        </Button>
        {!menuOpened && find}
      </Group>
      <nav className="gr-rail" aria-label="Screens" data-opened={menuOpened || undefined}>
        <Group visibleFrom="sm" h={36} px={8}>
          <Logo />
        </Group>
        {find}
        <Menu entries={menuEntries} current={current} />
        <Late
          button={
            <Button variant="subtle" lh={1.5} justify="flex-start" fullWidth>
              <bdi className="gr-cut">{me.name}</bdi>
            </Button>
          }
        >
          {(target) => <UserMenu target={target} onHelp={help.open} />}
        </Late>
      </nav>
      <Content pathname={pathname} entry={current} />
      <Going />
      {palette.opened && (
        <Part>
          <Palette screens={screens} takeTyped={palette.takeTyped} onClose={palette.close} />
        </Part>
      )}
      {helpOpened && (
        <Part>
          <ShortcutsDialog entries={screens} onClose={help.close} />
        </Part>
      )}
    </>
  );
}

/** That the next screen is on its way. It stands last: what is added before others has the browser style all of them again. */
function Going() {
  const isGoing = useRouterState({ select: ({ isLoading }) => isLoading });
  return isGoing && <Box pos="fixed" inset="0 0 auto" h={2} bg="var(--accent)" style={{ zIndex: 1_000 }} />;
}

function Content({ pathname, entry }: { pathname: string; entry: MenuEntry | undefined }) {
  const away = useAway();
  const isReplaced = useIsReplaced();
  useReturn(() => void queryClient.invalidateQueries());
  const may = useMay();
  const needs = useMatches({ select: (matches) => matches.at(-1)?.staticData.needs });
  const main = useFocusOnNavigation(pathname);
  const siblings = entry && entry.screens.length > 1 && entry.screens.some(({ to }) => to === pathname) && (
    <PageTabs label={entry.label} tabs={entry.screens} />
  );
  return (
    <main id="main" tabIndex={-1} ref={main}>
      <div className="gr-surface">
        {away !== null && (
          <Banner tone="warn" alert title={away}>
            What you see may be out of date, and changes may be refused. What you have typed stays, and this
            notice then disappears.
          </Banner>
        )}
        {isReplaced && <ReloadBanner />}
        <RevertedNotice />
        <SiblingTabs value={siblings}>
          {needs && !may(needs) ? <NotAllowed needs={needs} /> : <Outlet />}
        </SiblingTabs>
      </div>
    </main>
  );
}

/** After another screen has opened, reading and tabbing continue at its beginning. */
function useFocusOnNavigation(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current !== pathname) main.current?.focus({ preventScroll: true });
    before.current = pathname;
  }, [pathname]);
  return main;
}

function focusMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** For how long what is typed waits for the palette's field: its file may not come at all. */
const FIELD_WAIT_MS = 3_000;

/**
 * Whether the palette is open; Ctrl K or ⌘ K opens it anywhere but over another dialog.
 *
 * @returns also `takeTyped`, which returns once what was typed before the field was there
 */
function usePalette() {
  const [opened, palette] = useDisclosure();
  const typed = useRef('');
  useEffect(() => {
    if (!opened) typed.current = '';
    const openedAt = performance.now();
    const isEarly = ({ timeStamp }: KeyboardEvent) =>
      opened && timeStamp - openedAt < FIELD_WAIT_MS && !document.activeElement?.closest('[role=dialog]');
    const press = (event: KeyboardEvent) => {
      const withCommand = event.ctrlKey || event.metaKey;
      if (withCommand && !event.altKey && !event.shiftKey && pressedKey(event) === 'k') {
        event.preventDefault();
        if (document.querySelector('[role=dialog]') === null) palette.open();
      } else if (isText(event) && isEarly(event)) {
        event.preventDefault();
        typed.current += event.key;
      }
    };
    document.addEventListener('keydown', press, true);
    return () => document.removeEventListener('keydown', press, true);
  }, [opened, palette.open]);
  const takeTyped = () => {
    const early = typed.current;
    typed.current = '';
    return early;
  };
  return { opened, ...palette, takeTyped };
}

const isText = ({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent) =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey && !isComposing;

const SEQUENCE_MS = 1_500;

/** `/` to the search field, `g` and a letter to a screen, `?` to the list of shortcuts. Never while something is typed. */
function useShortcuts(entries: readonly ScreenEntry[], onHelp: () => void): void {
  const navigate = useNavigate();
  const startedAt = useRef(-Infinity);
  useKeyPress((key, { timeStamp }) => {
    const entry = timeStamp - startedAt.current < SEQUENCE_MS && entries.find(({ letter }) => letter === key);
    startedAt.current = key === 'g' ? timeStamp : -Infinity;
    if (entry) void navigate({ to: entry.to });
    else if (key === '?') onHelp();
    else return key === '/' && focusSearch();
    return true;
  });
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('input[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}
