import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inScratchFolder } from './scratch-folder';

const DAY_SECS = 24 * 3_600;

let place: string;

beforeEach(() => (place = mkdtempSync(join(tmpdir(), 'greenroom-scratch-'))));
afterEach(() => rmSync(place, { recursive: true }));

function leave(name: string, ageSecs: number): void {
  mkdirSync(join(place, name));
  writeFileSync(join(place, name, 'app-secret'), 'secret');
  const time = Date.now() / 1_000 - ageSecs;
  utimesSync(join(place, name), time, time);
}

it('a scratch folder is there while something runs, and not afterwards', async () => {
  const folder = await inScratchFolder(place, async (scratch) => {
    expect(existsSync(scratch)).toBe(true);
    return scratch;
  });
  expect(existsSync(folder)).toBe(false);
});

it('what a killed run has left is removed a day later, and nothing else', async () => {
  leave('.greenroom-backup-a1B2c3', DAY_SECS + 60);
  leave('.greenroom-backup-d4E5f6', DAY_SECS - 60);
  leave('.greenroom-backup-of-mine', DAY_SECS + 60);
  leave('others', DAY_SECS + 60);
  writeFileSync(join(place, '.greenroom-backup-g7H8i9'), '');
  utimesSync(join(place, '.greenroom-backup-g7H8i9'), 0, 0);
  await inScratchFolder(place, async () => undefined);
  expect(readdirSync(place).sort()).toEqual([
    '.greenroom-backup-d4E5f6',
    '.greenroom-backup-g7H8i9',
    '.greenroom-backup-of-mine',
    'others',
  ]);
});
