import { basename } from 'node:path';

declare const __TOGETHER__: Record<string, string[]>;

const suites = __TOGETHER__[expect.getState().testPath ?? ''] ?? [];

// Each suite in a block of its own, so that what it sets up and clears away is its own. Jest asks for the first of them
// afterwards, which then is there.
for (const suite of suites) {
  // oxlint-disable-next-line jest/valid-describe-callback
  describe(basename(suite), () => {
    require(suite);
  });
}

// Suites that take longer say so for the whole file: here the most that one of them asks for.
if (suites.length > 1) jest.setTimeout(300_000);
