import * as fc from 'fast-check';

// The suite is repeatable: properties draw the same cases in every run. `FC_SEED=$RANDOM npm test` draws others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });

// The end of a test that hangs, in every suite: what takes a second alone takes ten beside servers, browsers and models.
jest.setTimeout(240_000);
