// Makes sure that what the suites need beside Node is there. Installs it when it may, and says what to install when not.
// With --clients, also the programs of other people that test/clients drives.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import installedFolder from '../test/clients/folder.cjs';

const works = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

function installWithApt(name) {
  if (process.getuid?.() !== 0 || !works('apt-get', '--version')) return false;
  console.log(`Installing ${name} …`);
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  spawnSync('apt-get', ['update'], options);
  return spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], options).status === 0;
}

if (!works('redis-server', '--version') && !installWithApt('redis-server')) {
  console.warn(
    'redis-server is missing: the suites on the Redis backend are left out. To run them: apt-get install redis-server',
  );
}

// Debian installs some where only root looks for programs.
process.env.PATH += ':/usr/sbin';
for (const [name, version] of [
  ['haproxy', '-v'],
  ['nginx', '-v'],
  ['caddy', 'version'],
])
  if (process.argv.includes('--clients') && !works(name, version) && !installWithApt(name))
    console.warn(
      `${name} is missing: the suites behind it are left out. To run them: apt-get install ${name}`,
    );

if (!works('chromium', '--version') && !installWithApt('chromium')) {
  console.warn(
    'chromium is missing: the suite in a real browser is left out. To run it: apt-get install chromium',
  );
}

/** Once for each change of a list: 730 MB of programs, 60 MB of frameworks. */
function installClients(name) {
  const list = readFileSync(new URL(`../test/clients/${name}/package.json`, import.meta.url));
  const folder = installedFolder(name);
  const installed = join(folder, 'package.json');
  const isDone = existsSync(join(folder, 'node_modules/.package-lock.json'));
  if (isDone && readFileSync(installed).equals(list)) return true;
  console.log(`Installing the ${name} of test/clients …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(installed, list);
  const args = ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
  return spawnSync('npm', args, { cwd: folder, stdio: 'ignore' }).status === 0;
}

if (process.argv.includes('--clients'))
  for (const name of ['frameworks', 'programs'])
    if (!installClients(name))
      console.warn(
        `The ${name} of test/clients could not be installed: their suite is left out. To run it: node scripts/test-setup.mjs --clients`,
      );
