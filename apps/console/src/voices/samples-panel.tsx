import { Table } from '@mantine/core';
import { UserText } from '../components/name';
import { plural } from '../components/number';
import { Panel } from '../components/page';
import { GradeBadge } from './voice-badge';
import type { VoiceDetail } from './voice-query';

/** The grade of each recording of a voice that has several. The voice has that of the worst. */
export function SamplesPanel({ voice: { voice, verdict } }: { voice: VoiceDetail }) {
  const { samples } = voice;
  if (samples.length < 2) return null;
  const graded = new Map(verdict?.samples?.map((each) => [each.sample_id, each]));
  return (
    <Panel title={plural(samples.length, 'recording')}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Recording</Table.Th>
            <Table.Th>Seconds</Table.Th>
            <Table.Th>Grade</Table.Th>
            <Table.Th>Reasons</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {samples.map(({ sample_id, file_name, duration_secs }) => (
            <Table.Tr key={sample_id}>
              <Table.Td>
                <UserText>{file_name}</UserText>
              </Table.Td>
              <Table.Td>{duration_secs.toFixed(1)}</Table.Td>
              <Table.Td>
                <GradeBadge grade={graded.get(sample_id)?.grade ?? null} />
              </Table.Td>
              <Table.Td>{graded.get(sample_id)?.reason ?? 'not reviewed yet'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
