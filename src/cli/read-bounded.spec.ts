import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

it('stops at a device that has no end', () => {
  expect(() => readBounded('/dev/zero', 1_000_000)).toThrow('more than the 1000000 bytes that are accepted');
});

it('says what the file system says', () => {
  expect(() => readBounded(join(folder, 'missing'), 10)).toThrow('ENOENT');
});
