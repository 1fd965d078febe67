// Measures Greenroom beside its peers: `npm run bench`, or `npm run bench -- auth credits --quick --json`.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { hasWrk } from './lib/load.mjs';
import { toTable } from './lib/table.mjs';

const here = (path) => new URL(path, import.meta.url);
const PARTS = readdirSync(here('parts')).map((name) => name.replace(/\.mjs$/, ''));
const USAGE = `npm run bench -- [${PARTS.join('|')}]… [--quick] [--json]

Without a part, all of them run. --quick: short slices, to see that it works; its numbers mean little.
--lines N: of the part ledger. --before DIR: of the part before, the folder of an earlier tree, built. --memory: the part limit measures memory, too, which takes minutes. --json prints the results as JSON.
They are written to bench/results/latest.json, or with --store NAME to NAME.json beside it; parts that did not run keep what an
earlier run stored.`;

const { values, positionals } = parse();
if (values.help) end(USAGE, 0);
const unknown = positionals.filter((part) => !PARTS.includes(part));
if (unknown.length > 0) end(`Unknown part "${unknown[0]}"; the parts are ${PARTS.join(', ')}.`, 2);
if (!/^[\w-]+$/.test(values.store))
  end(`--store ${values.store} is not accepted; give a name of letters, digits, - and _.`, 2);
if (!existsSync(here('../dist/src/main.js'))) end('Build first: npm run build.', 1);

const notes = [];
const note = (text) => {
  notes.push(text);
  console.error(text);
};
if (!hasWrk) note('wrk is not on the PATH: load comes from autocannon, which costs the load side more.');

const results = {
  at: new Date().toISOString(),
  cpus: cpus().length,
  model: cpus()[0]?.model,
  node: process.version,
  parts: {},
};
const all = PARTS.filter((part) => part !== 'before' || values.before !== undefined);
for (const part of positionals.length > 0 ? positionals : all) {
  console.error(`\n… ${part}`);
  const begun = Date.now();
  try {
    const { run } = await import(here(`parts/${part}.mjs`).href);
    const result = await run({ quick: values.quick, note, options: values });
    results.parts[part] = { at: results.at, ...result, tookSecs: Math.round((Date.now() - begun) / 1_000) };
    if (!values.json) print(results.parts[part]);
  } catch (error) {
    // One part that cannot run must not cost the others.
    note(`${part} could not be measured: ${error.message}`);
    process.exitCode = 1;
  }
}
results.notes = notes;
mkdirSync(here('results'), { recursive: true });
const file = here(`results/${values.store}.json`);
const earlier = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).parts : {};
const stored = { ...results, parts: { ...earlier, ...results.parts } };
writeFileSync(file, `${JSON.stringify(stored, null, 2)}\n`);
if (values.json) console.log(JSON.stringify(results, null, 2));
process.exit();

function print({ title, rows, remarks = [] }) {
  console.log(`\n${title}\n\n${toTable(Object.keys(rows[0] ?? {}), rows)}`);
  for (const remark of remarks) console.log(remark);
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        corpus: { type: 'string' },
        only: { type: 'string' },
        lines: { type: 'string' },
        before: { type: 'string' },
        memory: { type: 'boolean', default: false },
        store: { type: 'string', default: 'latest' },
      },
    });
  } catch (error) {
    return end(`${error.message}\n\n${USAGE}`, 2);
  }
}

function end(text, code) {
  console.error(text);
  process.exit(code);
}
