import { inLocalTimes } from '@app/domain/common/date-text';
import { DAY_MS } from '@app/domain/common/utc-days';
import { Group, Stack } from '@mantine/core';
import { Choice } from '../components/fields';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read, type Schema, queryClient, refresh, useMay } from '../api/client';
import { ActionButton } from '../components/action-dialog';
import { Loaded, Panel } from '../components/page';
import { Person, StatusBadge, Time } from '../components/inline';

type Finding = Schema['FindingResponse'];

const DAYS = ['30', '90', '180', '365'];

export function FindingsPanel({ keyId }: { keyId: string }) {
  const query = useQuery(read(['findings', keyId], '/admin/api-keys/{key_id}/findings', keyId));
  if (query.data?.items.length === 0) return null;
  return (
    <Panel title="Findings">
      <Loaded query={query} lines={2}>
        {({ items }) => <Findings keyId={keyId} items={items} />}
      </Loaded>
    </Panel>
  );
}

function Findings({ keyId, items }: { keyId: string; items: Finding[] }) {
  const may = useMay();
  return (
    <Stack component="ul" gap="sm" aria-label="Findings">
      {items.map((finding) => (
        <li key={finding.kind}>
          <Group justify="space-between" gap="xs">
            <div>
              <StatusBadge tone={finding.accepted ? 'calm' : 'warn'}>
                {finding.accepted ? 'accepted' : 'open'}
              </StatusBadge>{' '}
              <strong>{finding.title}.</strong> {inLocalTimes(finding.text)}
              <div className="gr-dimmed">
                Since <Time at={finding.since} dateOnly />
                {finding.accepted && <Accepted accepted={finding.accepted} />}
              </div>
            </div>
            {may('keys.write') && <FindingButton keyId={keyId} finding={finding} />}
          </Group>
        </li>
      ))}
    </Stack>
  );
}

function Accepted({ accepted }: { accepted: NonNullable<Finding['accepted']> }) {
  return (
    <>
      . Accepted until <Time at={accepted.until} dateOnly /> by <Person by={accepted.by} />: “
      <bdi>{accepted.reason}</bdi>”
    </>
  );
}

function FindingButton({ keyId, finding }: { keyId: string; finding: Finding }) {
  const { kind, title, accepted } = finding;
  const verb = accepted ? 'Reopen' : 'Accept';
  const [days, setDays] = useState('90');
  const confirm = async (reason: string) => {
    const saved = accepted
      ? await api.POST('/admin/api-keys/{key_id}/findings/{kind}/reopen', { key_id: keyId, kind }, { reason })
      : await api.POST(
          '/admin/api-keys/{key_id}/findings/{kind}/accept',
          { key_id: keyId, kind },
          { reason, until: new Date(Date.now() + Number(days) * DAY_MS).toISOString() },
        );
    queryClient.setQueryData(['findings', keyId], saved);
    void refresh(['key-safety'], ['audit-log']);
  };
  return (
    <ActionButton
      label={`${verb}…`}
      name={`${verb}: ${title}`}
      title={`${verb} the finding`}
      of={title}
      consequence={
        accepted
          ? `“${title}” counts as open again.`
          : `“${title}” does not count as open until then. The key itself is not changed.`
      }
      fields={['until']}
      onConfirm={confirm}
    >
      {!accepted && (
        <Choice
          label="Accepted for"
          value={days}
          data={DAYS.map((value) => ({ value, label: `${value} days` }))}
          onPick={setDays}
        />
      )}
    </ActionButton>
  );
}
