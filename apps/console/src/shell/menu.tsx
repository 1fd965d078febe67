import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { ZONE } from '../components/day';
import { formatNumber, plural } from '../components/number';
import { COUNTED, type NavigationEntry } from './navigation';
import { useCounts } from './use-counts';

/** The screens of the role, section by section, and the zone that every time is in. */
export function Menu({ entries, pathname }: { entries: readonly NavigationEntry[]; pathname: string }) {
  const counts = useCounts();
  return (
    <>
      <div className="gr-menu">
        {entries.map((entry, place) => (
          <Fragment key={entry.to}>
            {entry.section !== entries[place - 1]?.section && (
              <div className="gr-menu-section">{entry.section}</div>
            )}
            <Entry entry={entry} pathname={pathname} count={entry.count && counts[entry.count]} />
          </Fragment>
        ))}
      </div>
      <div className="gr-dimmed gr-zone">Times: {ZONE}</div>
    </>
  );
}

function Entry({
  entry: { to, label, icon: Icon, count: counted },
  pathname,
  count = 0,
}: {
  entry: NavigationEntry;
  pathname: string;
  count?: number;
}) {
  const active = to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
  const [one, many] = counted ? COUNTED[counted] : [];
  return (
    <NavLink
      py={5}
      component={Link}
      to={to}
      label={label}
      leftSection={<Icon size={17} aria-hidden />}
      rightSection={
        one &&
        count > 0 && (
          <span className="gr-badge gr-bad" title={plural(count, one, many)}>
            {formatNumber(count)}
          </span>
        )
      }
      active={active}
      variant="light"
      aria-current={active ? 'page' : undefined}
    />
  );
}
