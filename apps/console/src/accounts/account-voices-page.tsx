import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { readPage, read } from '../api/client';
import { CopyableId, UserText, Time } from '../components/inline';
import { DataTable } from '../components/data-table';
import { listing, useListing } from '../components/list-search';
import { Loaded, Panel } from '../components/page';
import { Banner } from '../components/banner';
import { formatNumber, plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { COLUMNS } from '../voices/voices-page';
import { accountTab } from './account-screen';
import { RECORDING_GRADES } from '@app/domain/reviews/review-state';
import { Chart } from '../components/chart';
import { byDay, sumOf } from '../components/chart-days';

export { firstQueries } from './account-screen';

const OWN_COLUMNS = COLUMNS.filter(({ header }) => header !== 'Account');
const PREVIEWS = 10;
const ALL_PREVIEWS = 200;
const LONG = 160;

export default accountTab(function Content({ account }) {
  return (
    <>
      <Voices accountId={account.id} />
      <GradesPanel accountId={account.id} />
      <Previews accountId={account.id} />
    </>
  );
});

function Voices({ accountId }: { accountId: string }) {
  const search = { account_id: accountId };
  const listed = useListing(listing(['voices'], '/admin/voices', [], search));
  return (
    <Panel
      title="Voices"
      actions={
        <Link to="/voices" search={search as never}>
          All filters and bulk reviews
        </Link>
      }
    >
      <DataTable
        name="Voices of the account"
        {...listed}
        columns={OWN_COLUMNS}
        rowId={({ voice_id }) => voice_id}
        defaultSort="-created_at"
        empty="The customer has created no voice yet."
      />
    </Panel>
  );
}

function Previews({ accountId }: { accountId: string }) {
  const { preview }: { preview?: string } = useSearch({ strict: false });
  const [limit, setLimit] = useState(preview === undefined ? PREVIEWS : ALL_PREVIEWS);
  const query = useQuery(
    readPage(['previews', accountId, limit], '/admin/accounts/{account_id}/previews', {
      account_id: accountId,
      limit,
    }),
  );
  return (
    <Panel title="Previews" gap="sm">
      <Loaded
        query={query}
        empty={['No previews', 'Previews are stored for a while after a design, then deleted.']}
      >
        {({ items, total }) => (
          <>
            {preview !== undefined && !items.some(({ generated_voice_id: id }) => id === preview) && (
              <Banner tone="warn">
                The preview {preview.slice(0, LONG)} is not among the newest {formatNumber(items.length)}. An
                expired preview is deleted and cannot be restored; the customer can design it again.
              </Banner>
            )}
            <SimpleTable
              name="Previews"
              rows={items}
              rowId={({ generated_voice_id: id }) => id}
              current={preview}
              columns={[
                {
                  header: 'Id',
                  cell: ({ generated_voice_id: id }) => <CopyableId id={id} what="the preview's id" />,
                },
                {
                  header: 'Description',
                  cell: ({ description }) => (
                    <UserText>
                      {description.length > LONG ? `${description.slice(0, LONG)}…` : description}
                    </UserText>
                  ),
                },
                { header: 'Created', cell: ({ created_at }) => <Time at={created_at} relative /> },
                { header: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} relative /> },
                {
                  header: 'Voice',
                  cell: ({ voice_id }) =>
                    voice_id === null ? (
                      <span className="gr-dimmed">none</span>
                    ) : (
                      <Link to={`/voices/${voice_id}`}>Its voice</Link>
                    ),
                },
              ]}
            />
            {items.length < total && limit === PREVIEWS && (
              <Button size="xs" variant="default" onClick={() => setLimit(ALL_PREVIEWS)}>
                Show more
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function GradesPanel({ accountId }: { accountId: string }) {
  const query = useQuery(read(['grades', accountId], '/admin/accounts/{account_id}/grades', accountId));
  return (
    <Panel title="Grades over time">
      <Loaded query={query} empty={['No voice was graded in the last 30 days']}>
        {(grades) => {
          const chart = byDay(
            grades,
            grades.items,
            ['grade', 'reviews'],
            (grade) => ({ name: grade, ...(grade === 'bad' && { tone: 'bad' as const }) }),
            RECORDING_GRADES,
          );
          const parts = chart.series.map(({ name, values }) => `${formatNumber(sumOf(values))} ${name}`);
          const all = plural(sumOf(chart.series.map(({ values }) => sumOf(values))), 'verdict');
          return (
            <Chart
              label="Grades by day"
              summary={`${all} in the last 30 days: ${parts.join(', ')}.`}
              unit="verdicts"
              {...chart}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}
