import { loadConfig, type AppConfig } from '@app/config/app-config';
import { createLogger } from '@app/config/logger';
import { whileLate } from '@app/database/common/late-database';
import { proveSession } from '@app/database/common/session-proof';
import { refuseOtherSecret } from '../launcher/installation-secret';
import { serveWithoutOutput } from '../launcher/lost-output';
import { READY, stopDeadlineMs } from '../launcher/node-child';

/** Longer than a server may take to stop in order. */
const MARGIN_MS = 2_000;

/**
 * Runs a server in this process until it stops. Under the launcher, says when it is ready, and does not outlive the
 * launcher: the server stops when the channel closes, and this makes sure of it.
 */
export async function runServer(name: 'api' | 'worker', run: () => Promise<void>): Promise<void> {
  serveWithoutOutput();
  const config = loadConfig();
  if (process.send) {
    const deadlineMs = stopDeadlineMs(name, config) + MARGIN_MS;
    process.once('disconnect', () => setTimeout(() => process.exit(1), deadlineMs).unref());
  } else if (config.appSecret && config.databaseUrl) {
    await refuseOtherSecret(
      { secret: config.appSecret, previous: config.appSecretPrevious },
      config.databaseUrl,
    );
  }
  await waitForDatabase(name, config);
  await run();
  process.send?.(READY);
}

/** Until it is quick enough for what the server does next; a server whose first connections fail ends. */
async function waitForDatabase(name: 'api' | 'worker', config: AppConfig): Promise<void> {
  const { databaseUrl, startWaitSecs: waitSecs } = config;
  if (!databaseUrl) return;
  const onNote = (note: string) => createLogger(config, name).warn(note, 'Database');
  const late = { what: 'the database of DATABASE_URL', waitSecs, onNote, away: true, longer: false };
  await whileLate(async () => proveSession(databaseUrl), late);
}
