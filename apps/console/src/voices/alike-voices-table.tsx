import { Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { AccountName } from '../components/account-name';
import { Name } from '../components/name';
import { Time } from '../components/time';

interface AlikeVoice {
  voice_id: string;
  name: string;
  account: { id: string; name: string | null };
  created_at: string;
  /** How much it is like the voice in question. */
  likeness: string;
}

/** Voices that are like another one in some way. */
export function AlikeVoicesTable({ label, voices }: { label: string; voices: AlikeVoice[] }) {
  return (
    <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={label}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Voice</Table.Th>
            <Table.Th>Account</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>How sure</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {voices.map((voice) => (
            <Table.Tr key={voice.voice_id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Link to="/voices/$voiceId" params={{ voiceId: voice.voice_id }}>
                  <Name>{voice.name}</Name>
                </Link>
              </Table.Td>
              <Table.Td>
                <AccountName account={voice.account} />
              </Table.Td>
              <Table.Td>
                <Time at={voice.created_at} />
              </Table.Td>
              <Table.Td>{voice.likeness}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
