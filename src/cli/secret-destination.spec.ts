import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretDestination } from './secret-destination';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-secrets-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const secretOf = (id: string) => ({
  kind: 'key' as const,
  account: 'Acme',
  accountId: 'account',
  name: 'production',
  id,
  secret: `grk_${id}`,
});

it('begins a line of its own after one in the middle of which a process was killed', async () => {
  const path = join(folder, 'torn.jsonl');
  const deliver = secretDestination(`file:${path}`, 'keys.yaml');
  await deliver([secretOf('one')]);
  writeFileSync(path, '{"kind":"key","acc', { flag: 'a' });
  await deliver([secretOf('two'), secretOf('three')]);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect([lines.length, lines[1]]).toEqual([4, '{"kind":"key","acc']);
  expect([0, 2, 3].map((line) => (JSON.parse(lines[line]!) as { id: string }).id)).toEqual([
    'one',
    'two',
    'three',
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('writes nothing to a file that others may read', async () => {
  const path = join(folder, 'open.jsonl');
  writeFileSync(path, 'theirs\n', { mode: 0o644 });
  await expect(secretDestination(`file:${path}`, 'keys.yaml')([secretOf('one')])).rejects.toThrow(
    'accepted: 600',
  );
  expect(readFileSync(path, 'utf8')).toBe('theirs\n');
});
