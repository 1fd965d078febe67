import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../libs/config/variables';

const UNIT = join(__dirname, '../deploy/systemd/greenroom.service');
/** In tenths: 2.5 of 10. */
const EXPOSURE = 25;

const lines = readFileSync(UNIT, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

it('every line of the unit is a section or a setting, and its variables are those of Greenroom', () => {
  for (const line of lines) expect(line).toMatch(/^(\[(Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*)$/);
  const set = lines.flatMap((line) => /^Environment=(\w+)=/.exec(line)?.[1] ?? []);
  expect(set).toEqual(['DATA_DIR']);
  expect(Object.keys(VARIABLES)).toEqual(expect.arrayContaining(set));
});

it('may do no more than it needs', () => {
  expect(lines).toEqual(
    expect.arrayContaining([
      'DynamicUser=yes',
      'ProtectSystem=strict',
      'CapabilityBoundingSet=',
      'NoNewPrivileges=yes',
    ]),
  );
  const args = ['security', '--offline=true', `--threshold=${EXPOSURE}`, '--no-pager', UNIT];
  const { error, status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  if (error || /unrecognized option/.test(stderr))
    return console.warn('systemd-analyze of systemd 250 or newer is not here: the unit is only read.');
  expect(`${status} ${stdout}${stderr}`).toMatch(
    /^0 [\s\S]*Overall exposure level for greenroom.service: [01]\.\d|^0 [\s\S]*: 2\.[0-5]/,
  );
});
