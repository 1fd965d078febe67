// Where each cost goes, what 1, 10 and 1,000 machines carry, and a year of it: node bench/simulate/run.mjs [--seed 1] [--write]
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readCosts } from './costs.mjs';
import { BUSY, capacity } from './model.mjs';
import { replayYear } from './year.mjs';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, write: { type: 'boolean', default: false } },
});
const seed = Number(values.seed);
if (!Number.isInteger(seed) || seed < 0) {
  console.error(`--seed ${values.seed} is not accepted; give a whole number from 0.`);
  process.exit(2);
}
const costs = readCosts();

const round = (value) => (value >= 10 ? Math.round(value).toLocaleString('en') : value.toPrecision(2));
const table = (rows) => {
  const [head] = rows;
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const names = Object.keys(head);
  return [line(names), line(names.map(() => '---')), ...rows.map((row) => line(Object.values(row)))].join(
    '\n',
  );
};

const NINE_AND_POSTGRES = { 'api+engine+worker': 18, postgres: 2 };

/** Cores are those of machines with 2, as measured. A part named with + shares its machines. */
const SHAPES = [
  { name: '1 machine, 10,000 keys', keys: 1e4, apis: 1, cores: { 'api+postgres+engine+worker': 2 } },
  { name: '10 machines, ten times the keys', keys: 1e5, apis: 9, cores: NINE_AND_POSTGRES },
  { name: '10 machines, a million keys', keys: 1e6, apis: 9, cores: NINE_AND_POSTGRES },
  {
    name: '1,000 machines, one PostgreSQL of 64 cores',
    keys: 1e8,
    apis: 800,
    speechServer: true,
    cores: { api: 1_600, postgres: 64, worker: 100 },
  },
  { name: '10 cells of 10 machines', keys: 1e6, apis: 9, cells: 10, cores: NINE_AND_POSTGRES },
  { name: '100 cells of 10 machines', keys: 1e6, apis: 9, cells: 100, cores: NINE_AND_POSTGRES },
  {
    name: '32 cells of 31 machines, speech servers beside',
    keys: 1e8 / 32,
    apis: 25,
    speechServer: true,
    cells: 32,
    cores: { api: 44, postgres: 16, worker: 3 },
  },
];

const costTable = table(
  Object.values(costs).map(({ what, value, from }) => ({ Cost: what, Value: round(value), From: from })),
);
const capacityTable = table(
  SHAPES.map((shape) => {
    const { requests, first, second } = capacity(shape, costs);
    const cells = shape.cells ?? 1;
    return {
      Installation: shape.name,
      'Requests a second': round(requests * cells),
      'of them charged': round((requests * cells) / 3),
      'Saturates first': first,
      'then, at that load': second || '–',
      'Cores of proxies': cells === 1 ? '–' : round((requests * cells * costs.proxyUs.value) / 1e6 / BUSY),
    };
  }),
);
const year = replayYear({ seed, keys: 50_000, perSec: 300, growth: 8 }, costs);
const yearTable = table(
  year.map(({ keys, requests, peak, cores, changes, leaks, stored }, index) => ({
    Month: index + 1,
    Keys: round(keys),
    'Requests, million': round(requests / 1e6),
    'Peak a second': round(peak),
    'Api cores': round(cores.api / BUSY),
    'PostgreSQL cores': round(cores.postgres / BUSY),
    'Engine cores': round(cores.engine / BUSY),
    'Worker cores': round(cores.worker / BUSY),
    'Changes of keys': round(changes),
    'Leaks, batches': leaks,
    'Ledger, GB': round(stored.ledger / 1e9),
    'Traffic, GB': round(stored.traffic / 1e9),
    'Recordings, GB': round(stored.voices / 1e9),
  })),
);
const text = `### What one of each costs

${costTable}

### What an installation carries

Each part at most ${BUSY * 100} % busy.

${capacityTable}

### A year (seed ${seed})

50,000 keys and 300 requests a second on average at the start, eight times as much at the end. Cores are those of the month's
busiest hour, at ${BUSY * 100} %.

${yearTable}
`;
console.log(text);
if (values.write) {
  const file = new URL('../../docs/scaling.md', import.meta.url);
  const page = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    page.replace(/(<!-- simulated -->\n)[^]*?(<!-- end -->)/, (_, from, to) => `${from}\n${text}\n${to}`),
  );
}
