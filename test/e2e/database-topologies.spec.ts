import { loadConfig } from '../../libs/config/app-config';
import { migrateDatabase } from '../../libs/database/migrate';
import { runChecks } from '../../src/cli/doctor/doctor';
import { hasOpenssl } from '../support/certificates';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { createBody, designBody } from '../support/samples';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { TcpProxy } from '../support/tcp-proxy';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';

jest.setTimeout(120_000);

describe('a replica for lists', () => {
  let primary: OwnPostgres;
  let replica: OwnPostgres;
  let network: TcpProxy;
  let stack: Stack;
  let manager: StaffClient;

  beforeAll(async () => {
    primary = await OwnPostgres.start(() => undefined);
    await migrateDatabase(primary.ownerUrl, primary.url);
    replica = await primary.startReplica(() => undefined);
    network = await TcpProxy.to(replica.url);
    const env = { DATABASE_URL: primary.url, DATABASE_READ_URL: network.url };
    stack = await Stack.start({ worker: false, env });
    manager = await StaffClient.signedIn(stack, 'account_manager');
  });

  afterAll(async () => {
    await stack.stop();
    await network.stop();
    await replica.stop();
    await primary.stop();
  });

  /** Pauses or resumes the replay of what the primary did. */
  const holdReplica = (hold: boolean) => replica.query(`SELECT pg_wal_replay_${hold ? 'pause' : 'resume'}()`);

  async function listed(name: string): Promise<boolean> {
    const answer = await manager.get(`/admin/accounts?search=${name}`);
    expect(answer.status).toBe(200);
    return (answer.body.items as unknown[]).length > 0;
  }

  async function open(name: string): Promise<string> {
    const answer = await manager.post('/admin/accounts', { name, tier: 'creator', reason: 'A test' });
    expect(answer.status).toBe(201);
    return answer.body.id as string;
  }

  it('serves lists of accounts, keys, voices and events, and nothing else', async () => {
    await holdReplica(true);
    const before = await replica.query<{ received: string }>('SELECT pg_last_wal_replay_lsn() AS received');
    const id = await open('onlyonprimary');
    expect(await listed('onlyonprimary')).toBe(false);
    expect((await manager.get(`/admin/accounts/${id}`)).status).toBe(200);
    const lists = ['api-keys', 'voices', 'audit-log'];
    for (const list of lists)
      expect((await manager.get(`/admin/${list}?account_id=${id}`)).body.total).toBe(0);
    expect(await replica.query('SELECT pg_last_wal_replay_lsn() AS received')).toEqual(before);
    await holdReplica(false);
    await eventually(async () => expect(await listed('onlyonprimary')).toBe(true));
    expect((await manager.get(`/admin/audit-log?account_id=${id}`)).body.total).toBe(1);
  });

  it('is done without when it is away, and used again when it is back', async () => {
    await holdReplica(true);
    network.refuse(true);
    await open('withoutreplica');
    expect(await listed('withoutreplica')).toBe(true);
    network.refuse(false);
    await eventually(async () => expect(await listed('withoutreplica')).toBe(false), { withinMs: 20_000 });
    await holdReplica(false);
  });

  it('is examined by the doctor: whether it responds, and follows', async () => {
    const examined = async (readUrl: string) => {
      const config = loadConfig({ DATABASE_URL: primary.url, DATABASE_READ_URL: readUrl, APP_SECRET });
      const report = await runChecks(config, []);
      return report.find(({ check }) => check === 'replica');
    };
    expect(await examined(network.url)).toMatchObject({
      status: 'ok',
      detail: 'The replica follows the primary.',
    });
    network.refuse(true);
    expect(await examined(network.url)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('It does not respond'),
    });
    network.refuse(false);
    expect(await examined(primary.url)).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('not a replica'),
    });
  });

  it('is done without from the start', async () => {
    network.refuse(true);
    const env = { DATABASE_URL: primary.url, DATABASE_READ_URL: network.url };
    const another = await Stack.start({ worker: false, env });
    try {
      const support = await StaffClient.signedIn(another, 'support');
      expect((await support.get('/admin/accounts')).status).toBe(200);
    } finally {
      await another.stop();
      network.refuse(false);
    }
  });
});

describe('a DATABASE_URL with several hosts', () => {
  it('leads to the one that takes writes, and after a failover to the next', async () => {
    const primary = await OwnPostgres.start(() => undefined);
    await migrateDatabase(primary.ownerUrl, primary.url);
    const replica = await primary.startReplica(() => undefined);
    const several = new URL(replica.url);
    several.searchParams.set('hosts', [replica.url, primary.url].map((url) => new URL(url).host).join());
    const stack = await Stack.start({ worker: false, env: { DATABASE_URL: several.href } });
    try {
      const ready = async () => (await stack.request('GET', '/readyz')).status;
      const { secret } = await stack.issueKey();
      const design = () => stack.request('POST', '/v1/text-to-voice/design', { secret, body: designBody() });
      expect(await ready()).toBe(200);
      expect((await design()).status).toBe(200);
      await primary.query('ALTER SYSTEM SET default_transaction_read_only = on');
      await primary.query('SELECT pg_reload_conf()');
      await eventually(async () => expect(await ready()).toBe(503));
      expect((await design()).status).toBe(503);
      await replica.query('SELECT pg_promote()');
      await eventually(async () => expect(await ready()).toBe(200), { withinMs: 30_000 });
      await eventually(async () => expect((await design()).status).toBe(200), { withinMs: 30_000 });
    } finally {
      await stack.stop();
      await replica.stop();
      await primary.stop();
    }
  });
});

(hasOpenssl ? describe : describe.skip)('a PostgreSQL over TLS', () => {
  let postgres: OwnPostgres;
  let caFile: string;

  beforeAll(async () => {
    postgres = await OwnPostgres.start(() => undefined);
    ({ caFile } = await postgres.offerTls());
  });
  afterAll(() => postgres.stop());

  const withTls = (options: Record<string, string>, plain = postgres.url) => {
    const url = new URL(plain);
    for (const [name, value] of Object.entries(options)) url.searchParams.set(name, value);
    return url.href;
  };

  it('stores and reviews a voice, with every connection encrypted', async () => {
    const tls = { sslmode: 'verify-full', sslrootcert: caFile };
    const url = withTls(tls);
    await migrateDatabase(withTls(tls, postgres.ownerUrl), url);
    const stack = await Stack.start({ env: { DATABASE_URL: url, REDIS_URL: '' } });
    try {
      const { secret } = await stack.issueKey();
      const { body } = await stack.request('POST', '/v1/text-to-voice/design', {
        secret,
        body: designBody(),
      });
      const [preview] = body.previews as { generated_voice_id: string }[];
      const created = await stack.request('POST', '/v1/text-to-voice', {
        secret,
        body: createBody(preview!.generated_voice_id),
      });
      await eventually(async () => {
        const voice = await stack.request('GET', `/v1/voices/${created.body.voice_id as string}`, { secret });
        expect(voice.body.labelling_status).toBe('review_complete');
      });
      const connections = await postgres.query<{ ssl: boolean; name: string }>(
        `SELECT DISTINCT ssl, application_name AS name FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE client_addr IS NOT NULL AND pid <> pg_backend_pid()`,
      );
      expect(connections.filter(({ ssl }) => !ssl)).toEqual([]);
      expect(connections.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['greenroom-api', 'greenroom-key-changes', 'greenroom-worker']),
      );
    } finally {
      await stack.stop();
    }
  });

  it('is refused when its certificate is by an authority that is not believed', async () => {
    await expect(migrateDatabase(withTls({ sslmode: 'verify-full' }))).rejects.toThrow(
      /unable to verify the first certificate/,
    );
  });
});
