import * as fc from 'fast-check';

// The suite is repeatable: properties draw the same cases in every run. `FC_SEED=$RANDOM npm test` draws others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });

// For a test, in suites without a database too: what takes a second alone takes ten beside servers, browsers and models.
jest.setTimeout(60_000);
