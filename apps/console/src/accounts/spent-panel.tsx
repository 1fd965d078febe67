import { Group, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, type Schema } from '../api/client';
import { Chart } from '../components/chart';
import { dayPlace, DAYS_AXIS, listDays } from '../components/chart-places';
import { SPANS, spanDays, type Span } from '../components/chart-spans';
import type { Series } from '../components/chart-rows';
import { Empty, Loaded } from '../components/loading';
import { plainName } from '../components/name';
import { plural, words } from '../components/number';
import { Panel } from '../components/page';

type Usage = Schema['UsageByDayResponse'];

const MAX_NAME = 40;

/** Credits of an account by day, by what they were for or by key, of a month or of a quarter. */
export function SpentPanel({ accountId }: { accountId: string }) {
  const [by, setBy] = useState<Usage['by']>('operation');
  const [span, setSpan] = useState<Span>('last 30 days');
  const days = spanDays(span, Date.now());
  const query = useQuery({
    ...read(['usage-by-day', accountId, by, days], '/admin/accounts/{account_id}/usage/by-day', {
      path: { account_id: accountId },
      query: { by, ...days },
    }),
    placeholderData: keepPreviousData,
  });
  const select = (
    <Group gap="xs">
      <NativeSelect
        size="xs"
        aria-label="Days of the credits"
        value={span}
        onChange={(event) => setSpan(event.currentTarget.value as Span)}
        data={SPANS.map((each) => ({ value: each, label: `The ${each}` }))}
      />
      <NativeSelect
        size="xs"
        aria-label="Stacked by"
        value={by}
        onChange={(event) => setBy(event.currentTarget.value as Usage['by'])}
        data={[
          { value: 'operation', label: 'By operation' },
          { value: 'key', label: 'By key' },
        ]}
      />
    </Group>
  );
  return (
    <Panel title="Credits over time" actions={select}>
      <Loaded query={query}>
        {(usage) =>
          usage.series.length === 0 ? (
            <Empty title={`No credits used in the ${span}`} />
          ) : (
            <Chart
              label={`Credits by day and ${usage.by}`}
              summary={summaryOf(usage, span)}
              unit="credits"
              axis={DAYS_AXIS}
              places={listDays(usage.from, usage.to).map(dayPlace)}
              series={toSeries(usage)}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function toSeries({ by, series, others }: Usage): Series[] {
  const shown = series.map(({ id, name, credits }) => ({
    id: id ?? 'none',
    name: by === 'key' ? shortName(name) : words(id ?? ''),
    values: credits,
  }));
  if (others.count === 0) return shown;
  const rest = plural(others.count, by === 'key' ? 'other key' : 'other operation');
  return [...shown, { id: 'others', name: rest, values: others.credits, tone: 'rest' }];
}

function shortName(name: string | null): string {
  if (name === null) return 'no key';
  const plain = plainName(name);
  return plain.length > MAX_NAME ? `${plain.slice(0, MAX_NAME)}…` : plain;
}

function summaryOf({ series, others, from, to }: Usage, span: Span): string {
  const sum = (read: (one: Usage['others']) => number[]) =>
    [...series, others].flatMap((one) => read(one as Usage['others'])).reduce((all, value) => all + value, 0);
  const credits = sum((one) => one.credits);
  return `${plural(credits, 'credit')} for ${plural(
    sum((one) => one.requests),
    'request',
  )} in the ${span}, ${dayPlace(from).label} to ${dayPlace(to).label}.`;
}
