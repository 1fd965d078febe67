import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ZONE } from '../components/day';
import { formatNumber, plural } from '../components/number';
import { COUNTED, type MenuEntry } from './navigation';
import { useCounts } from './use-counts';

/** The screens of the role, and the zone that every time is in. */
export function Menu({
  entries,
  current,
}: {
  entries: readonly MenuEntry[];
  current: MenuEntry | undefined;
}) {
  const counts = useCounts();
  return (
    <>
      <div className="gr-menu">
        {entries.map((entry) => (
          <Entry
            key={entry.label}
            entry={entry}
            active={entry === current}
            count={entry.count && counts[entry.count]}
          />
        ))}
      </div>
      <div className="gr-dimmed gr-zone">Times: {ZONE}</div>
    </>
  );
}

function Entry({
  entry: { screens, label, icon: Icon, count: counted },
  active,
  count = 0,
}: {
  entry: MenuEntry;
  active: boolean;
  count?: number;
}) {
  const [one, many] = counted ? COUNTED[counted] : [];
  return (
    <NavLink
      component={Link}
      to={screens[0]!.to}
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
