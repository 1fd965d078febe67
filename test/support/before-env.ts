import * as fc from 'fast-check';

// The suite is repeatable: properties draw the same cases in every run. `FC_SEED=$RANDOM npm test` draws others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });

// Also of the suites without a database: what takes a second alone takes ten beside servers, browsers and models.
jest.setTimeout(60_000);
