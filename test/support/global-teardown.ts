import { takeServer } from './test-server';

/** Stops the suite's PostgreSQL and deletes its data. */
export default async function globalTeardown(): Promise<void> {
  await takeServer()?.stop();
}
