import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { Group } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { useMay } from '../api/client';

/** A screen among others that belong together, and the screens beneath it. */
export interface Tab {
  label: string;
  to: string;
  needs?: StaffPermission;
  parts?: readonly Tab[];
}

/** A screen that the menu, the palette and a shortcut lead to. */
export interface ScreenEntry extends Tab {
  hint: string;
  letter: string;
}

const pathsOf = ({ to, parts = [] }: Tab): string[] => [to, ...parts.map((part) => part.to)];

/** How much of a path is a tab's: the longest one is where the reader is. */
const match = (tab: Tab, pathname: string) =>
  Math.max(0, ...pathsOf(tab).map((to) => (`${pathname}/`.startsWith(`${to}/`) ? to.length : 0)));

export function currentTab<T extends Tab>(tabs: readonly T[], pathname: string): T | undefined {
  const [best] = tabs.toSorted((a, b) => match(b, pathname) - match(a, pathname));
  return best && match(best, pathname) > 0 ? best : undefined;
}

/** Tabs that are separate screens, each with an address, and those beneath the one that is open. */
export function PageTabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const may = useMay();
  const pathname = useLocation({ select: (place) => place.pathname });
  const shown = tabs.filter(({ needs }) => !needs || may(needs));
  const current = currentTab(shown, pathname);
  if (shown.length < 2) return null;
  return (
    <>
      <Group component="nav" className="gr-tabs" gap={2} aria-label={label}>
        {shown.map((tab) => (
          <Link
            key={tab.to}
            to={tab.to}
            activeOptions={{ exact: true }}
            aria-current={tab === current ? 'page' : undefined}
          >
            {tab.label}
          </Link>
        ))}
      </Group>
      {current?.parts && <PageTabs label={current.label} tabs={current.parts} />}
    </>
  );
}
