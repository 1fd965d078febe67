import { assertContract, checkingFetch } from './contract';

jest.setTimeout(60_000);

globalThis.fetch = checkingFetch(globalThis.fetch);
afterEach(assertContract);
