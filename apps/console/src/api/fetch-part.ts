import { reportOutcome } from './availability';
import { ApiProblem } from './problem';
import { checkRelease, isReplaced, type Release } from './release';

/** A connection may break once: the file is requested again after these. */
const PAUSES_MS = [250, 1_000];

export class PartMissing extends ApiProblem {
  again?: () => Promise<void> | undefined;

  constructor(readonly release: Release) {
    super(0, { detail: DETAILS[release], code: 'part_missing' });
  }
}

const DETAILS: Record<Release, string> = {
  unreachable: 'It opens as soon as the network is back.',
  same: 'Its file could not be fetched.',
  replaced: 'A newer release of Greenroom has been installed: reload the page.',
};

/**
 * Fetches a file of the console, with `import()`; each one is fetched through here.
 *
 * @throws PartMissing when it could not be, also after it was requested again; nothing is requested of a release that is gone
 */
export async function fetchPart<T>(load: () => Promise<T>): Promise<T> {
  if (isReplaced()) throw new PartMissing('replaced');
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return load().catch(async () => {
    throw await explain();
  });
}

async function explain(): Promise<PartMissing> {
  const release = await checkRelease();
  if (release === 'unreachable') reportOutcome(0);
  return new PartMissing(release);
}
