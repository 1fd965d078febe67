import { assertContract, checkingFetch } from './contract';

globalThis.fetch = checkingFetch(globalThis.fetch);
afterEach(assertContract);

// These suites share the machine with other servers, queues and browsers: a test that fails is tried once more, and
// its first failure is printed. What is broken fails twice.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
