import { rmSync } from 'node:fs';
import { takeServer } from './test-server';

/** Stops the suite's PostgreSQL and deletes its data. */
export default async function globalTeardown(): Promise<void> {
  const kept = takeServer();
  if (!kept) return;
  await kept.server.stop();
  await kept.guard.dismiss();
  rmSync(kept.dataDir, { recursive: true, force: true });
}
