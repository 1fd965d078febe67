// Makes sure that what the suites need beside Node is there. Installs it when it may, and says what to install when not.
// With --clients, also the programs of other people that test/clients drives.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import clientsFolder from '../test/clients/programs/folder.cjs';

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

if (!works('chromium', '--version') && !installWithApt('chromium')) {
  console.warn(
    'chromium is missing: the suite in a real browser is left out. To run it: apt-get install chromium',
  );
}

/** 730 MB, once for each change of their list. */
function installClients() {
  const list = readFileSync(new URL('../test/clients/programs/package.json', import.meta.url));
  const installed = join(clientsFolder, 'package.json');
  const isDone = existsSync(join(clientsFolder, 'node_modules/.package-lock.json'));
  if (isDone && readFileSync(installed).equals(list)) return true;
  console.log('Installing the programs of test/clients …');
  rmSync(clientsFolder, { recursive: true, force: true });
  mkdirSync(clientsFolder, { recursive: true });
  writeFileSync(installed, list);
  const args = ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
  return spawnSync('npm', args, { cwd: clientsFolder, stdio: 'ignore' }).status === 0;
}

if (process.argv.includes('--clients') && !installClients()) {
  console.warn(
    'The programs of test/clients could not be installed: their suite is left out. To run it: node scripts/test-setup.mjs --clients',
  );
}
