import { useQuery } from '@tanstack/react-query';
import { Button, SimpleGrid, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Schema } from '../api/client';
import { sumOf } from '../components/chart-days';
import { dayPlace } from '../components/chart-places';
import { DownloadButton } from '../components/download-button';
import { Empty, Loaded, Panel } from '../components/page';
import { formatNumber } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { accountTab } from './account-screen';
import { namedParts, UsageChart, useSpan, usageQuery } from './spent-panel';

export default accountTab(function Report({ account: { id: accountId } }) {
  const { span, days, field } = useSpan(accountId, 'last month');
  const operations = useQuery(usageQuery(accountId, 'operation', days));
  const keys = useQuery(usageQuery(accountId, 'key', days));
  const file = `/admin/accounts/${accountId}/usage/export?${new URLSearchParams(days).toString()}`;
  return (
    <Panel
      title={`Credits from ${dayPlace(days.from).label} to ${dayPlace(days.to).label}`}
      actions={
        <>
          {field}
          <DownloadButton size="xs" href={file}>
            CSV
          </DownloadButton>
          <Button size="xs" onClick={() => print()}>
            Print
          </Button>
        </>
      }
    >
      <Stack className="gr-report">
        <Loaded query={operations}>
          {(usage) =>
            usage.series.length === 0 ? (
              <Empty title="No credits were used">No request of these days was charged.</Empty>
            ) : (
              <>
                <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
                  <Sums name="By operation" query={operations} />
                  <Sums name="By key" query={keys} />
                </SimpleGrid>
                {sumOf(usage.prepaid) !== 0 && (
                  <span>Of these, prepaid credits have paid {formatNumber(sumOf(usage.prepaid))}.</span>
                )}
                <UsageChart usage={usage} span={span} />
              </>
            )
          }
        </Loaded>
        <span className="gr-dimmed">Days are days in UTC.</span>
      </Stack>
    </Panel>
  );
});

function Sums({ name, query }: { name: string; query: UseQueryResult<Schema['UsageByDayResponse']> }) {
  return (
    <Loaded query={query}>
      {(usage) => {
        const parts = namedParts(usage);
        const [credits, requests] = [
          parts.flatMap((part) => part.credits),
          parts.flatMap((part) => part.requests),
        ];
        return (
          <SimpleTable
            name={name}
            caption
            rows={[...parts, { id: 'all', name: 'All', credits, requests }]}
            columns={[
              { header: usage.by === 'key' ? 'Key' : 'Operation', cell: (part) => <bdi>{part.name}</bdi> },
              { header: 'Credits', number: true, cell: (part) => formatNumber(sumOf(part.credits)) },
              { header: 'Requests', number: true, cell: (part) => formatNumber(sumOf(part.requests)) },
            ]}
          />
        );
      }}
    </Loaded>
  );
}
