// Builds the servers and the console to dist, each in a process of its own, which gives its memory back.
import { spawnSync } from 'node:child_process';
import { freemem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const PARTS = ['build-server.mjs', 'build-console.mjs'];
/** The console needs the most (measured: 535 MB). */
const NEEDED_MB = 600;

/**
 * @param stdio as of `spawnSync`
 * @throws Error when there is too little memory, or a part fails, with its output unless that was inherited
 */
export function build(stdio = 'pipe') {
  requireMemory();
  for (const part of PARTS) {
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [join(folder, part)], { stdio });
    if (status !== 0)
      throw new Error(
        `${stdout ?? ''}${stderr ?? ''}${part} has failed (${signal ?? `exit code ${status}`}).`,
      );
  }
}

/** Without it, the build would end in the middle, with no word of what it lacked. */
export function requireMemory(availableMb = measureAvailableMb()) {
  if (availableMb >= NEEDED_MB) return;
  throw new Error(
    `The build needs ${NEEDED_MB} MB of memory, and ${availableMb} MB are available. Free some, or build elsewhere: the package that "npm pack" makes needs no build.`,
  );
}

/** What the system could free, or the limit of a container; without one, that is above the memory of any machine. */
function measureAvailableMb() {
  const bytes = Math.min(freemem(), process.constrainedMemory() || Infinity);
  return Math.floor(bytes / 2 ** 20);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    build('inherit');
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
