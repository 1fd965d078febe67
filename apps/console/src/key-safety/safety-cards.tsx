import { Link } from '@tanstack/react-router';
import type { Schema } from '../api/client';
import type { ListSearch } from '../components/list-filters';
import { Banner } from '../components/banner';
import { numberOrZero } from '../components/meter';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/inline';

export function SafetyCards(props: { cards: Schema['SafetyResponse']['cards']; search?: ListSearch }) {
  const { cards, search = {} } = props;
  if (cards.every(({ open, accepted }) => open + accepted === 0))
    return <Banner tone="good">No enabled key has a finding.</Banner>;
  return (
    <SimpleTable
      name="Findings"
      rows={cards.filter(({ open, accepted }) => open + accepted > 0)}
      rowId={({ kind }) => kind}
      columns={[
        {
          header: 'Finding',
          cell: ({ kind, title }) => (
            <Link to="/api-keys" search={{ ...search, finding: kind } as never}>
              {title}
            </Link>
          ),
        },
        { header: 'Keys', number: true, cell: ({ open }) => numberOrZero(open) },
        { header: 'Accepted', number: true, cell: ({ accepted }) => numberOrZero(accepted) },
      ]}
    />
  );
}

export function ScannedAt({ at }: { at: string | null }) {
  if (at === null) return <>Enabled keys are being checked for the first time.</>;
  return (
    <>
      Enabled keys. All were last checked <Time at={at} relative />; a key that changes is checked within
      seconds.
    </>
  );
}
