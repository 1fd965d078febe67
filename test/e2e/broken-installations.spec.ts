import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { checkTroubles } from '../../apps/console/src/home/check-troubles';
import { loadConfig } from '../../libs/config/app-config';
import type { VariableName } from '../../libs/config/variables';
import { AuditLogRepository } from '../../libs/database/audit/audit-log.repository';
import { migrateDatabase } from '../../libs/database/migrate';
import { Launched } from '../launcher/launched';
import { hasOpenssl, makeCertificates } from '../support/certificates';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { queryAs } from '../support/query-as';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { TemporaryFolder } from '../support/temporary-folder';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

/** A mount takes the rights of root. */
const isRoot = process.getuid?.() === 0;

type Variables = Partial<Record<VariableName, string>>;

/** What is broken, and what is said of it. */
interface Broken {
  what: string;
  /** The check that names it, and how badly. */
  says: [check: string, status: 'warning' | 'failed', detail: RegExp];
  env?: Variables;
  worker?: boolean;
  /** The status of /readyz; 200 unless a process cannot serve. */
  ready?: number;
  /** As the owner of the database, before a process has seen it as it should be: then it looks no more. */
  breakFirst?: string;
  break?: (stack: Stack, staff: StaffClient) => Promise<unknown>;
  isPossible?: boolean;
}

const OTHER_SECRET = 'another-secret-that-a-process-was-started-with';

let folder: TemporaryFolder;
let disk: TemporaryFolder | null = null;
let upstream: Server;
let upstreamUrl: string;
let ending: string;

beforeAll(async () => {
  folder = TemporaryFolder.make('greenroom-broken-');
  if (isRoot) disk = TemporaryFolder.make('greenroom-broken-disk-', 64);
  if (hasOpenssl) ending = readFileSync(makeCertificates(folder.path).caFile, 'utf8');
  upstream = createServer((_, response) => response.writeHead(401).end('{}')).listen(0, '127.0.0.1');
  await eventually(() => expect(upstream.listening).toBe(true));
  upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});

afterAll(() => {
  upstream.close();
  disk?.remove();
  folder.remove();
});

/** A setting of the database, for every connection from now on. */
const set = (setting: string) => async (stack: Stack) => {
  const database = new URL(stack.config.databaseUrl!).pathname.slice(1);
  await stack.asOwner(`ALTER DATABASE ${database} SET ${setting}`);
  await stack.asOwner(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
};

const sql = (text: string) => async (stack: Stack) => stack.asOwner(text);

/** In the order of the table of docs/operations.md. */
const BROKEN: Broken[] = [
  {
    what: 'a database that takes no writes',
    says: ['database', 'failed', /takes no writes: it is a standby, or set to read-only/],
    ready: 503,
    break: set('default_transaction_read_only = on'),
  },
  {
    what: 'a migration that is missing',
    says: ['schema', 'failed', /^Not applied: KeysByLastFour\w+\. Run "greenroom migrate"/],
    ready: 503,
    breakFirst: `DELETE FROM migration WHERE name LIKE 'KeysByLastFour%'`,
  },
  {
    what: 'functions of another release',
    says: ['schema', 'failed', /^Not applied: the SQL of \w+\. Run "greenroom migrate"/],
    break: sql(`UPDATE sql_definition SET sha256 = '' WHERE name = (SELECT min(name) FROM sql_definition)`),
  },
  {
    what: 'a later release that has migrated it',
    says: ['schema', 'warning', /^A later release \(99\.2\.0\) created this database/],
    break: sql(`INSERT INTO schema_release (version) VALUES ('99.2.0')`),
  },
  {
    what: 'commits that a crash may lose',
    says: ['durability', 'warning', /Set synchronous_commit = on\.$/],
    break: set('synchronous_commit = off'),
  },
  {
    what: 'more processes than connections',
    says: ['connections', 'warning', /Under load some would be refused: set max_connections to \d+ or more/],
    break: sql(
      `INSERT INTO api_load (id, name, requests, refusals, requests_per_sec, refusals_per_sec, seen_at)
       SELECT gen_random_uuid(), 'api-' || i, 0, 0, 0, 0, now() + interval '5 minutes' FROM generate_series(1, 40) i`,
    ),
  },
  {
    what: 'a data folder without room',
    says: ['space', 'failed', /has 0 MiB of 64 free/],
    isPossible: isRoot,
  },
  {
    what: 'a process with another APP_SECRET',
    says: ['secret', 'warning', /but 1 of the latest \d+ events of the audit log, .* with another secret/],
    break: async ({ dataSource }) => {
      const config = loadConfig({ APP_SECRET: OTHER_SECRET });
      const log = new AuditLog(dataSource, new AuditLogRepository(dataSource), config);
      const target = { type: 'api_key' as const, id: randomUUID() };
      const event = { actor: bySystem('test'), action: 'key.disabled' as const, target, reason: 'A test' };
      await dataSource.transaction((em) => log.record(event, em));
    },
  },
  {
    what: 'no worker',
    says: ['workers', 'failed', /^No worker is heard.* Start one: "greenroom worker"/],
    worker: false,
    break: async ({ dataSource }) =>
      eventually(async () => expect(await dataSource.query('SELECT FROM api_load')).not.toEqual([])),
  },
  {
    what: 'a queue that is paused',
    says: ['pauses', 'warning', /^voice-review is paused since .+ \(The scanner is down\)/],
    break: async (_, staff) =>
      expect(
        await staff.post('/admin/queues/voice-review/pause', { reason: 'The scanner is down' }),
      ).toMatchObject({ status: 200 }),
  },
  {
    what: 'a backup that fails',
    says: ['backup', 'failed', /^None has succeeded\. The last attempt: No space left/],
    env: { BACKUP_SCHEDULE: '0 3 * * *', BACKUP_TO: '/backups' },
    worker: false,
    break: sql(
      `INSERT INTO backup_run (name, place, started_at, ended_at, error) VALUES ('test', '/backups', now(), now(), 'No space left.')`,
    ),
  },
  {
    what: 'a certificate that ends',
    says: ['certificates', 'failed', /that of AUDIT_STREAM_CA ends on \d{4}-\d\d-\d\d/],
    isPossible: hasOpenssl,
  },
  {
    what: 'an upstream that refuses the key',
    says: ['upstream', 'failed', /^The upstream does not accept VOICE_ENGINE_API_KEY \(401\)/],
  },
];

/** Variables that name what this file has started. */
function variablesOf({ says: [check], env }: Broken): Variables {
  if (check === 'space') return { DATA_DIR: disk!.path };
  if (check === 'certificates') return { AUDIT_STREAM_URL: 'tls://127.0.0.1:1', AUDIT_STREAM_CA: ending };
  if (check === 'upstream')
    return { VOICE_ENGINE: 'elevenlabs', VOICE_ENGINE_URL: upstreamUrl, VOICE_ENGINE_API_KEY: 'a-key' };
  return { DATA_DIR: folder.path, ...env };
}

interface Said {
  doctor: { check: string; status: string; detail: string } | undefined;
  ready: number;
  home: string[];
}

/** What the doctor says of a check, /readyz of the process, and Home of the installation. */
async function listen(stack: Stack, staff: StaffClient, check: string, env: Variables): Promise<Said> {
  const { databaseUrl: DATABASE_URL, appSecret: APP_SECRET } = stack.config;
  const doctor = Launched.greenroom(['doctor', '--json'], { DATABASE_URL, APP_SECRET, ...env });
  await doctor.ended();
  // Of a database that does not respond it says that it waits, and then so.
  const report = doctor.output.startsWith('[')
    ? (JSON.parse(doctor.output) as Said['doctor'][])
    : [{ check, status: 'failed', detail: doctor.output.trim().split('\n').at(-1)! }];
  const checks = await staff.get('/admin/checks');
  const home =
    checks.status === 200
      ? checkTroubles(checks.body.items as never).map(({ text, detail }) => `${text}: ${detail}`)
      : [`the console says that it is out of order (${checks.status})`];
  const ready = await fetch(`${stack.baseUrl}/readyz`);
  return { doctor: report.find((row) => row!.check === check), ready: ready.status, home };
}

async function whatIsSaid(broken: Broken, database: TestDatabase): Promise<Said> {
  const env = variablesOf(broken);
  if (broken.breakFirst) await queryAs(database.ownerUrl, broken.breakFirst);
  const stack = await Stack.start({ database, worker: broken.worker, env });
  try {
    const staff = await StaffClient.signedIn(stack, 'admin');
    if (broken.says[0] === 'space') disk!.fill();
    await broken.break?.(stack, staff);
    return await listen(stack, staff, broken.says[0], env);
  } finally {
    await stack.stop();
  }
}

/** What Home draws from its queues instead. */
const SAID_BY_QUEUES = ['workers', 'pauses'];

/** Whether Home has the row, or what stands in its place. */
function isOnHome({ says: [check, status, detail] }: Broken, { home }: Said): boolean {
  if (SAID_BY_QUEUES.includes(check)) return home.length === 0;
  if (check === 'database') return home.some((line) => /503|fails/.test(line));
  const named = `The check “${check}” ${status === 'failed' ? 'fails' : 'needs attention'}: `;
  return home.some((line) => line.startsWith(named) && detail.test(line.slice(named.length)));
}

const report = (what: string, { doctor, ready, home }: Said) =>
  process.stdout.write(
    `${what}\n  doctor: ${doctor?.status} ${doctor?.check}: ${doctor?.detail}\n  /readyz: ${ready}\n  Home: ${home.join(' | ') || 'nothing'}\n`,
  );

describe.each(BROKEN.filter(({ isPossible = true }) => isPossible))('$what', (broken) => {
  it('is named by the doctor and Home, with the same words', async () => {
    const [, status, detail] = broken.says;
    const said = await whatIsSaid(broken, await createTestDatabase());
    report(broken.what, said);
    expect(said.doctor).toMatchObject({ status, detail: expect.stringMatching(detail) });
    expect(said.ready).toBe(broken.ready ?? 200);
    expect([said.home, isOnHome(broken, said)]).toEqual([said.home, true]);
  });
});

(isRoot ? describe : describe.skip)('PostgreSQL itself', () => {
  let postgres: OwnPostgres;
  let stack: Stack;
  let staff: StaffClient;

  beforeAll(async () => {
    postgres = await OwnPostgres.start(() => undefined, { diskMb: 400 });
    await migrateDatabase(postgres.ownerUrl, postgres.url);
    const { url, ownerUrl } = postgres;
    stack = await Stack.start({ database: { url, ownerUrl, drop: async () => Promise.resolve() } });
    staff = await StaffClient.signedIn(stack, 'admin');
  });

  afterAll(async () => {
    await stack?.stop();
    await postgres?.stop();
  });

  it('whose disk is full is named', async () => {
    postgres.folder.fill();
    const said = await listen(stack, staff, 'disk', { DATA_DIR: folder.path });
    postgres.folder.free();
    report('a full disk of PostgreSQL', said);
    expect(said.doctor).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/^The disk of the database takes no writes/),
    });
    expect(said.ready).toBe(503);
    expect(said.home).toEqual([expect.stringMatching(/^The check “disk” fails: The disk of the database/)]);
    await eventually(async () => expect((await fetch(`${stack.baseUrl}/readyz`)).status).toBe(200));
  });

  it('that does not respond is named', async () => {
    postgres.freeze();
    const waits = { DATA_DIR: folder.path, START_WAIT_SECS: '3' };
    const said = await listen(stack, staff, 'database', waits).finally(() => postgres.thaw());
    report('a PostgreSQL that does not respond', said);
    expect(said.doctor!.detail).toMatch(/^greenroom: the database responds too late/);
    expect(said.ready).toBe(503);
    expect(said.home).toEqual([expect.stringContaining('503')]);
  });
});
