import { Button, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { DataTable, type Column } from '../../../apps/console/src/components/data-table';
import { useListSearch } from '../../../apps/console/src/components/list-search';
import { Name } from '../../../apps/console/src/components/inline';
import { formatNumber, plural } from '../../../apps/console/src/components/number';
import { Panel } from '../../../apps/console/src/components/page';
import { SelectionBar, useSelection } from '../../../apps/console/src/components/selection';
import { AddressMaps } from '../../../apps/console/src/allow-list/address-maps';
import { Differences } from '../../../apps/console/src/audit-log/event';
import { GATE_NAMES, Path } from '../../../apps/console/src/explain/explanation';
import type { Finding } from '../../../apps/console/src/voices/findings';
import { SoundStage } from '../../../apps/console/src/voices/sound-stage';

export const NOW = Date.UTC(2026, 10, 29);
export const LONG = 'Orchard and Vale Museums Trust of the North-East, '.repeat(4);
/** Names as they come: of 200 characters with and without a space, of other scripts and directions, and hostile ones. */
export const NAMES = [
  LONG.slice(0, 200),
  'x'.repeat(200),
  'صوت الراوي الهادئ',
  'Łódź, Müller è ß',
  '<img src=x>',
  `e${'\u0301'.repeat(150)}`,
];
/** Zero, one, many. */
export const COUNTS = [0, 1, 1_204_000];

interface Row {
  id: string;
  name: string;
}

const ROWS: Row[] = [...NAMES, ...Array.from({ length: 14 }, (_, place) => `Key ${place}`)].map(
  (name, place) => ({ id: String(place), name }),
);
const COLUMNS: Column<Row>[] = [
  { header: 'Name', sort: 'name', cell: ({ name }) => <Name>{name}</Name> },
  { header: 'Used', number: true, cell: ({ name }) => formatNumber(name.length * 1_000) },
  { id: 'wide', header: 'Account', wide: 'tablet', cell: () => <Name>{LONG}</Name> },
];

const RATE = 8_000;
const SECS = 4;
/** Words of half a second, with a pause after each. */
const SOUND = {
  samples: Float32Array.from({ length: RATE * SECS }, (_, at) =>
    Math.floor((at * 2) / RATE) % 2 === 0 ? Math.sin(at / 3) * Math.sin((at * 2 * Math.PI) / RATE) : 0.01,
  ),
  sampleRate: RATE,
  durationSecs: SECS,
};
const FINDINGS: Finding[] = [
  {
    kind: 'clipped',
    codes: ['clipping'],
    label: 'Cut off',
    detail: '2 places, 0.40 s',
    stretches: [
      { fromSecs: 0.2, toSecs: 0.4 },
      { fromSecs: 2.1, toSecs: 2.3 },
    ],
    linesHz: [],
  },
  { kind: 'noise', codes: ['background_noise'], label: 'Noise', detail: LONG, stretches: [], linesHz: [] },
];

const USES = ['203.0.113.7', '203.0.113.9', '198.51.100.7'].map((address, place) => ({
  address,
  requests: 10 ** place,
  refused: place === 2,
}));

/** Lists and drawings, each with zero, one and many. */
export function ListsAndDrawings() {
  return (
    <>
      {[ROWS.length, 1, 0].map((count) => (
        <Panel key={count} title={`A list of ${plural(count, 'key')}`}>
          <List count={count} />
        </Panel>
      ))}
      <Panel title="Addresses" gap="md">
        <AddressMaps cidrs={[]} uses={[]} />
        <AddressMaps cidrs={['192.0.2.0/28']} uses={[]} />
        <AddressMaps cidrs={['203.0.113.0/28', '192.0.2.0/24', '2001:db8:40::/48']} uses={USES} />
      </Panel>
      <Panel title="Paths of a request" gap="md">
        {[null, 'ip' as const].map((decides) => (
          <Gates key={decides} decides={decides} />
        ))}
      </Panel>
      <Panel title="Recordings" gap="md">
        <Stage />
        <Stage sound={SOUND} />
        <Stage sound={SOUND} findings={FINDINGS} />
      </Panel>
      <Panel title="Differences">
        <Differences before={{ name: 'A' }} after={{ name: 'A' }} />
        <Differences before={{ credit_limit: 200_000 }} after={{ credit_limit: 250_000 }} />
        <Differences
          before={Object.fromEntries(NAMES.map((name, place) => [`field_${place}`, name]))}
          after={Object.fromEntries(NAMES.map((_, place) => [`field_${place}`, LONG.repeat(place)]))}
        />
      </Panel>
    </>
  );
}

function List({ count }: { count: number }) {
  const list = useListSearch();
  const selection = useSelection(list);
  const page = { items: ROWS.slice(0, count), next_cursor: null, total: COUNTS[Math.min(count, 2)]! };
  const query = useQuery({ queryKey: ['gallery', count], queryFn: () => page, initialData: page });
  return (
    <>
      <SelectionBar selection={selection} shown={count} total={page.total} canSelectAll>
        <Button size="compact-sm" variant="default">
          Expiry…
        </Button>
      </SelectionBar>
      <DataTable
        name={plural(count, 'key')}
        query={query}
        columns={COLUMNS}
        rowName={({ name }) => name}
        list={list}
        selection={selection}
        peek={({ name }) => (
          <Title order={2} fz="xl">
            <Name>{name}</Name>
          </Title>
        )}
        empty="No key matches these filters."
      />
    </>
  );
}

function Gates({ decides }: { decides: 'ip' | null }) {
  const gates = Object.keys(GATE_NAMES).map((gate) => ({
    gate,
    rule: 'What the gate says of the request.',
    passed: decides === null || (gate !== decides && gate !== 'credits'),
  }));
  return <Path explanation={{ gates, decided_by: decides } as never} />;
}

function Stage({ sound = null, findings = [] }: { sound?: typeof SOUND | null; findings?: Finding[] }) {
  const player = useRef<HTMLAudioElement | null>(null);
  return (
    <div className="gr-player">
      <SoundStage
        sound={sound}
        durationSecs={SECS}
        player={player}
        findings={findings}
        onPlace={() => undefined}
      >
        {sound === null && 'Press Space to listen.'}
      </SoundStage>
    </div>
  );
}
