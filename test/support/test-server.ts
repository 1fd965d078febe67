import type { EmbeddedPostgres } from '../../src/launcher/embedded-postgres';
import type { ProcessGuard } from '../../src/launcher/process-guard';

/** Where the suite's own PostgreSQL listens; the global set-up starts it and hands its URL to the test processes. */
const URL_VARIABLE = 'GREENROOM_TEST_SERVER_URL';

export const TEMPLATE_DATABASE = 'greenroom_template';

interface KeptServer {
  server: EmbeddedPostgres;
  guard: ProcessGuard;
  dataDir: string;
}

/** Set-up and tear-down run in one process but load their modules anew: what they share is kept here. */
const shared = globalThis as { greenroomTestServer?: KeptServer };

export function keepServer(kept: KeptServer): void {
  shared.greenroomTestServer = kept;
}

export function takeServer(): KeptServer | undefined {
  const kept = shared.greenroomTestServer;
  delete shared.greenroomTestServer;
  return kept;
}

export function rememberTestServer(url: string): void {
  process.env[URL_VARIABLE] = url;
}

/** URL of a database on the suite's PostgreSQL. */
export function testServerUrl(database: string): string {
  const server = process.env[URL_VARIABLE];
  if (!server) throw new Error('The suite has no PostgreSQL: its global set-up did not run.');
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
