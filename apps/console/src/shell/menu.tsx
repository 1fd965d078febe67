import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ZONE } from '../components/day';
import { formatNumber, plural } from '../components/number';
import { COUNTED, GROUPS, type MenuEntry } from './navigation';
import { useCounts } from './use-counts';

/** The screens of the role by group, and the zone that every time is in. */
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
        {GROUPS.map((group) => {
          const shown = entries.filter((entry) => entry.group === group);
          return (
            shown.length > 0 && (
              <div key={group} role="group" aria-label={group}>
                {group !== 'Home' && (
                  <div className="gr-group" aria-hidden>
                    {group}
                  </div>
                )}
                {shown.map((entry) => (
                  <Entry
                    key={entry.label}
                    entry={entry}
                    active={entry === current}
                    count={entry.count && counts[entry.count]}
                  />
                ))}
              </div>
            )
          );
        })}
      </div>
      <div className="gr-zone">Times: {ZONE}</div>
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
    <Link to={screens[0]!.to} aria-current={active ? 'page' : undefined}>
      <Icon size={16} aria-hidden />
      {label}
      {one && count > 0 && (
        <Text span ml="auto" fz="sm" fw={600} c="var(--bad)" title={plural(count, one, many)}>
          {formatNumber(count)}
        </Text>
      )}
    </Link>
  );
}
