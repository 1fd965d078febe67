import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..', '..');

const LIST_REQUIRED_ES_MODULES = `
  const { isModuleNamespaceObject } = require('node:util').types;
  require(process.argv[1]);
  const required = Object.values(require.cache).filter(({ exports }) => isModuleNamespaceObject(exports));
  console.log(JSON.stringify(required.map(({ filename }) => filename)));
`;

const entries = readdirSync(join(ROOT, 'libs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.thread.ts'))
  .map((file) => join('libs', file));

it('finds the entries of threads', () => {
  expect(entries.length).toBeGreaterThanOrEqual(4);
});

// Node 20 aborts the whole process when a thread is ended while it requires an ES module, as a cancelled task does.
it.each(entries)('%s requires no ES module', async (entry) => {
  const file = join(ROOT, 'dist', entry.replace(/\.ts$/, '.js'));
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', LIST_REQUIRED_ES_MODULES, file]);
  expect(JSON.parse(stdout)).toEqual([]);
});
