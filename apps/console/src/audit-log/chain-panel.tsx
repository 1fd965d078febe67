import { DAY_MS, utcDay } from '@app/domain/common/utc-days';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, type Schema } from '../api/client';
import { Loaded, Panel } from '../components/page';
import { formatNumber, plural } from '../components/number';
import { StatusBadge } from '../components/inline';
import { submitting, useFields } from '../components/fields';

const DAYS = 7;

/** Proves, day by day, that no event was changed, added or removed after it was written. */
export function ChainPanel() {
  const fields = useFields({ from: utcDay(Date.now() - (DAYS - 1) * DAY_MS), to: utcDay(Date.now()) });
  const [requested, setRequested] = useState<typeof fields.values | null>(null);
  return (
    <Panel title="Has the log been altered?" gap="md">
      <form onSubmit={submitting(() => setRequested(fields.values))}>
        <Group gap="xs" align="end">
          <TextInput type="date" label="First day, in UTC" required {...fields.text('from')} />
          <TextInput type="date" label="Last day, in UTC" required {...fields.text('to')} />
          <Button type="submit" variant="default">
            Verify these days
          </Button>
        </Group>
      </form>
      {requested && <Verdicts days={requested} />}
    </Panel>
  );
}

function Verdicts({ days }: { days: { from: string; to: string } }) {
  const query = useQuery({ ...read(['audit-chain', days], '/admin/audit-log/verify', days), gcTime: 0 });
  return (
    <Loaded query={query} empty={<div className="gr-dimmed">Nothing was recorded on these days.</div>}>
      {({ items }) => (
        <Stack component="ul" gap="sm" aria-label="Verified days">
          {items.toReversed().map((day) => (
            <Verdict key={day.day} day={day} />
          ))}
        </Stack>
      )}
    </Loaded>
  );
}

function Verdict({ day: { day, rows, broken } }: { day: Schema['ChainDayResponse'] }) {
  return (
    <li>
      <StatusBadge tone={broken ? 'bad' : 'good'}>{broken ? 'broken' : 'verified'}</StatusBadge> {day}{' '}
      <span className="gr-dimmed">
        {broken
          ? `at event ${formatNumber(broken.seq)} of the day: ${broken.problem}`
          : plural(rows, 'event')}
      </span>
    </li>
  );
}
