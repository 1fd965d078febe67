// Builds the servers and the console to dist, and describes the API there, each in a separate process, which gives its memory back.
import { spawnSync } from 'node:child_process';
import { freemem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
/** What runs. The console needs the most memory (measured: 535 MB). */
const PROGRAM = { parts: ['build-server.mjs', 'build-console.mjs', 'build-bundle.mjs'], neededMb: 600 };
/** That, and the description of the API, which needs the types of the program (measured: 870 MB). */
const WHOLE = { parts: [...PROGRAM.parts, 'build-description.mjs'], neededMb: 900 };

/** What gathers the program in few files takes, most of it outside of V8's heap (measured: 1,270 MB). The program runs without. */
const BUNDLE_MB = 1_400;

/** V8 takes half of a container's memory, and the types of the program need more than half of 1 GB. */
const HEAP = '--max-old-space-size=760';

/** Builds what runs, without the description of what staff call: /docs has only the operations of openapi.json then. */
export const buildProgram = () => build(PROGRAM, 'pipe');

/**
 * @param stdio as of `spawnSync`
 * @throws Error when there is too little memory, or a part fails, with its output unless that was inherited
 */
function build({ parts, neededMb }, stdio) {
  requireMemory(neededMb);
  for (const part of parts) {
    if (part === 'build-bundle.mjs' && measureAvailableMb() < BUNDLE_MB) {
      process.stdout.write(`no bundle, which needs ${BUNDLE_MB} MB of memory: each start takes longer … `);
      continue;
    }
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [HEAP, join(folder, part)], {
      stdio,
      encoding: 'utf8',
    });
    if (status !== 0)
      throw new Error(
        `${stdout ?? ''}${stderr ?? ''}${part} has failed (${signal ?? `exit code ${status}`}).`,
      );
  }
}

/** Without it, the build would end in the middle, with no word of what it lacked. */
export function requireMemory(neededMb, availableMb = measureAvailableMb()) {
  if (availableMb >= neededMb) return;
  throw new Error(
    `The build needs ${neededMb} MB of memory, and ${availableMb} MB are available. Free some, or build elsewhere: the package that "npm pack" makes needs no build.`,
  );
}

/** What the system could free, or the limit of a container; without one, that is above the memory of any machine. */
function measureAvailableMb() {
  const bytes = Math.min(freemem(), process.constrainedMemory() || Infinity);
  return Math.floor(bytes / 2 ** 20);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    build(WHOLE, 'inherit');
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
