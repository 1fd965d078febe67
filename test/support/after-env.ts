import { assertContract, checkingFetch } from './once/contract';

globalThis.fetch = checkingFetch(globalThis.fetch);
afterEach(assertContract);
