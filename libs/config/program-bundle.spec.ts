import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from './project-root';

const LOAD_TWICE = `
  const { loadBundled } = require('./libs/config/program-bundle.js');
  try { loadBundled('entry'); } catch ({ code }) { console.log(code); }
  require('node:fs').writeFileSync('bundle/part.js', 'exports.isThere = true;');
  console.log(JSON.stringify(loadBundled('entry')));
`;

const cwd = mkdtempSync(join(tmpdir(), 'program-bundle-'));
afterAll(() => rmSync(cwd, { recursive: true }));

it('loads an entry again that has failed to load', () => {
  for (const folder of ['libs/config', 'bundle']) mkdirSync(join(cwd, folder), { recursive: true });
  const loader = 'libs/config/program-bundle.js';
  copyFileSync(join(PROJECT_ROOT, 'dist', loader), join(cwd, loader));
  writeFileSync(join(cwd, 'bundle/entries.json'), '{ "entry": "entry.js" }');
  writeFileSync(join(cwd, 'bundle/entry.js'), "exports.part = require('./part.js');");
  const output = execFileSync(process.execPath, ['-e', LOAD_TWICE], { cwd, encoding: 'utf8' });
  expect(output).toBe('ENOENT\n{"part":{"isThere":true}}\n');
});
