import { Group } from '@mantine/core';
import { Choice } from '../components/fields';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPage, type Schema } from '../api/client';
import { Chart } from '../components/chart';
import { sumOf } from '../components/chart-days';
import { DownloadButton } from '../components/download-button';
import { dayPlace, DAYS_AXIS, listDays } from '../components/chart-places';
import { SPANS, spanDays, type Span } from '../components/chart-spans';
import { Empty, Loaded, Panel } from '../components/page';
import { plainName } from '../components/inline';
import { plural, humanize } from '../components/number';
import { creditsQuery } from './grant-button';

type Usage = Schema['UsageByDayResponse'];

const MAX_NAME = 40;

const STACKS: Record<Usage['by'], { label: string; one: string; none: string }> = {
  operation: { label: 'By operation', one: 'operation', none: 'no operation' },
  key: { label: 'By key', one: 'key', none: 'no key' },
  end_user: { label: 'By end user', one: 'end user', none: 'no end user' },
  tag: { label: 'By tag', one: 'tag', none: 'no tag' },
};

export function useSpan(accountId: string, first: Span) {
  const [span, setSpan] = useState(first);
  const ofPeriod = span.endsWith('billing period');
  const { data: credits } = useQuery({ ...creditsQuery(accountId), enabled: ofPeriod });
  const periods = credits ? [credits, ...credits.past_periods].map((each) => each.period_start) : [];
  const field = (
    <Choice
      size="xs"
      aria-label="Days of the credits"
      value={span}
      onPick={setSpan}
      data={SPANS.map((each) => ({ value: each, label: `The ${each}` }))}
    />
  );
  return { span, days: spanDays(span, Date.now(), periods), field };
}

type Days = ReturnType<typeof spanDays>;

export const usageQuery = (accountId: string, by: Usage['by'], days: Days) =>
  readPage(['usage-by-day', accountId, by, days], '/admin/accounts/{account_id}/usage/by-day', {
    account_id: accountId,
    by,
    ...days,
  });

export function SpentPanel({ accountId }: { accountId: string }) {
  const [by, setBy] = useState<Usage['by']>('key');
  const { span, days, field } = useSpan(accountId, 'last 30 days');
  const query = useQuery(usageQuery(accountId, by, days));
  const select = (
    <Group gap="xs">
      {field}
      <Choice
        size="xs"
        aria-label="Stacked by"
        value={by}
        onPick={setBy}
        data={Object.entries(STACKS).map(([value, { label }]) => ({ value, label }))}
      />
      <DownloadButton
        size="xs"
        href={`/admin/accounts/${accountId}/usage/export?${new URLSearchParams({ by, ...days }).toString()}`}
      >
        CSV
      </DownloadButton>
    </Group>
  );
  return (
    <Panel title="Credits over time" actions={select}>
      <Loaded query={query}>
        {(usage) =>
          usage.series.length === 0 ? (
            <Empty title={`No credits used in the ${span}`} />
          ) : (
            <UsageChart usage={usage} span={span} />
          )
        }
      </Loaded>
    </Panel>
  );
}

export function UsageChart({ usage, span }: { usage: Usage; span: Span }) {
  return (
    <Chart
      label={`Credits by day and ${STACKS[usage.by].one}`}
      summary={summaryOf(usage, span)}
      unit="credits"
      axis={DAYS_AXIS}
      places={listDays(usage.from, usage.to).map(dayPlace)}
      series={namedParts(usage).map(({ credits, requests: _, ...part }) => ({ ...part, values: credits }))}
    />
  );
}

export function namedParts({ by, series, others: { count, ...rest } }: Usage) {
  const shown = series.map(({ id, name, ...sums }) => ({
    id: id ?? 'none',
    name: nameOf(by, id, name),
    ...sums,
  }));
  if (count === 0) return shown;
  const name = plural(count, `other ${STACKS[by].one}`);
  return [...shown, { id: 'others', name, ...rest, tone: 'rest' as const }];
}

function nameOf(by: Usage['by'], id: string | null, name: string | null): string {
  if (id === null || name === null) return STACKS[by].none;
  if (by === 'operation') return humanize(id);
  const plain = plainName(name);
  return plain.length > MAX_NAME ? `${plain.slice(0, MAX_NAME)}…` : plain;
}

function summaryOf({ by, series, others, from, to }: Usage, span: Span): string {
  const when = `in the ${span}, ${dayPlace(from).label} to ${dayPlace(to).label}`;
  if (by === 'tag') return `Credits ${when}. A key with several tags counts for each of them.`;
  const all = [...series, others];
  const credits = sumOf(all.flatMap((one) => one.credits));
  const requests = sumOf(all.flatMap((one) => one.requests));
  return `${plural(credits, 'credit')} for ${plural(requests, 'request')} ${when}.`;
}
