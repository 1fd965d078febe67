import { reasonOf } from './launch-error';

let isServing = false;

/**
 * Decides what becomes of a command whose output cannot be written. A reader that stops early, such as `head`, does not
 * stop the work; a full disk does, with a sentence: half an export is none.
 */
export function watchOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', failUnlessServing);
}

/** A server continues without its lines, and writes again when it can. */
export function serveWithoutOutput(): void {
  if (isServing) return;
  isServing = true;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

function failUnlessServing(this: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (isServing || error.code === 'EPIPE') return;
  process.exitCode = 1;
  if (this !== process.stderr) {
    process.stderr.write(`greenroom: The output cannot be written: ${reasonOf(error)}.\n`);
  }
  process.exit();
}
