import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBounded } from './read-bounded';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-bounded-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('reads a file of up to the bound, whatever its length', () => {
  for (const text of ['', 'grüße', 'x'.repeat(200_000)]) {
    writeFileSync(join(folder, 'file'), text);
    expect(readBounded(join(folder, 'file'), 200_000)).toBe(text);
  }
});

it('waits for a pipe that does not wait', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const descriptor = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  // It has the pipe open and writes later: a read in between finds nothing, which is no end.
  const writer = spawn('/bin/sh', ['-c', 'exec 3>"$0"; echo open; sleep 0.3; echo grüße >&3', pipe]);
  try {
    await once(writer.stdout, 'data');
    expect(readBounded(descriptor, 100)).toBe('grüße\n');
  } finally {
    closeSync(descriptor);
    writer.kill();
  }
});

it('names the line that is not UTF-8', () => {
  writeFileSync(join(folder, 'latin'), Buffer.from('name\nZo\xeb', 'latin1'));
  expect(() => readBounded(join(folder, 'latin'), 100)).toThrow('Line 2: It is not UTF-8');
});

it('stops at a device that has no end', () => {
  expect(() => readBounded('/dev/zero', 1_000_000)).toThrow('more than the 1000000 bytes that are accepted');
});

it('says what the file system says', () => {
  expect(() => readBounded(join(folder, 'missing'), 10)).toThrow('ENOENT');
});
