import { SimpleGrid } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schema } from '../api/client';
import type { ListSearch } from '../components/list-filters';
import { Banner } from '../components/banner';
import { formatNumber, plural } from '../components/number';
import { Time } from '../components/time';

/** How many keys have each finding; each card leads to the list of just these keys. */
export function SafetyCards({
  cards,
  search = {},
}: {
  cards: Schema['SafetyResponse']['cards'];
  /** What the lists are narrowed to besides. */
  search?: ListSearch;
}) {
  if (cards.every(({ open, accepted }) => open + accepted === 0))
    return <Banner tone="good">No enabled key has a finding.</Banner>;
  return (
    <SimpleGrid component="ul" cols={{ base: 1, xs: 2, md: 3 }} className="gr-cards" aria-label="Findings">
      {cards
        .filter(({ open, accepted }) => open + accepted > 0)
        .map(({ kind, title, open, accepted }) => (
          <li key={kind} className="gr-panel">
            <Link to="/api-keys" search={{ ...search, finding: kind } as never}>
              {title}
            </Link>
            <div className="gr-card-number">{formatNumber(open)}</div>
            <div className="gr-dimmed">
              {open === 1 ? 'key' : 'keys'}
              {accepted > 0 && `, and ${plural(accepted, 'key')} where it is accepted`}
            </div>
          </li>
        ))}
    </SimpleGrid>
  );
}

/** How old the findings are. */
export function ScannedAt({ at }: { at: string | null }) {
  if (at === null) return <>Enabled keys are being checked for the first time.</>;
  return (
    <>
      Enabled keys. All were last checked <Time at={at} relative />; a key that changes is checked within
      seconds.
    </>
  );
}
