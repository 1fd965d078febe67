import type { OwnPostgres } from './own-postgres';

/** Where the suite's own PostgreSQL listens; the global set-up starts it and hands its URL to the test processes. */
const URL_VARIABLE = 'GREENROOM_TEST_SERVER_URL';

export const TEMPLATE_DATABASE = 'greenroom_template';

/** Set-up and tear-down run in one process but load their modules anew: what they share is kept here. */
const shared = globalThis as { greenroomTestServer?: OwnPostgres };

export function keepServer(server: OwnPostgres): void {
  shared.greenroomTestServer = server;
}

export function takeServer(): OwnPostgres | undefined {
  const server = shared.greenroomTestServer;
  delete shared.greenroomTestServer;
  return server;
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
