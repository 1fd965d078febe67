import type { DatabaseUrls } from '../../src/launcher/postgres-settings';
import type { OwnPostgres } from './own-postgres';

/** Where the suite's own PostgreSQL listens; the global set-up starts it and hands its URLs to the test processes. */
const URLS_VARIABLE = 'GREENROOM_TEST_SERVER_URLS';

export const TEMPLATE_DATABASE = 'greenroom_template';

/** Set-up and tear-down run in one process but load their modules separately: what they share is kept here. */
const shared = globalThis as { greenroomTestServer?: OwnPostgres };

export function keepServer(server: OwnPostgres): void {
  shared.greenroomTestServer = server;
}

export function takeServer(): OwnPostgres | undefined {
  const server = shared.greenroomTestServer;
  delete shared.greenroomTestServer;
  return server;
}

export function rememberTestServer(urls: DatabaseUrls): void {
  process.env[URLS_VARIABLE] = JSON.stringify(urls);
}

/** URLs of a database on the suite's PostgreSQL. */
export function testServerUrls(database: string): DatabaseUrls {
  const server = process.env[URLS_VARIABLE];
  if (!server) throw new Error('The suite has no PostgreSQL: its global set-up did not run.');
  const { application, owner } = JSON.parse(server) as DatabaseUrls;
  const onDatabase = (url: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  return { application: onDatabase(application), owner: onDatabase(owner) };
}
