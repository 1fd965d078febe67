import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDatabase } from './node-child';

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'greenroom-child-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** What the launcher says of a preparation that fails with this output. */
async function problemOf(output: string): Promise<string> {
  const entry = join(folder, 'entry.cjs');
  writeFileSync(entry, `process.stderr.write(${JSON.stringify(output)}, () => process.exit(1));`);
  const preparation = prepareDatabase({
    entry,
    env: process.env,
    signal: new AbortController().signal,
    onPid: () => undefined,
  });
  return preparation.then(
    () => 'none',
    (error: Error) => error.message,
  );
}

it.each([
  ['its only line', 'greenroom: It is full.\n', 'It is full.'],
  [
    'its line before the stack',
    'greenroom: It is full.\nError: It is full.\n    at x (y:1)\n',
    'It is full.',
  ],
  ['its last line when it has said nothing itself', 'Killed by:\nthe system\n', 'the system'],
  ['its exit code when it has said nothing', '', 'exit code 1'],
])('a preparation that fails is reported with %s', async (_, output, reason) => {
  expect(await problemOf(output)).toBe(`The database cannot be prepared: ${reason}`);
});
