// Makes sure that what the suites need beside Node is there. Installs it when it may, and says what to install when not.
import { spawnSync } from 'node:child_process';

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
