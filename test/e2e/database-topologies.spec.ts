import { loadConfig } from '../../libs/config/app-config';
import { migrateDatabase } from '../../libs/database/migrate';
import { examineDatabase } from '../../src/cli/doctor/doctor';
import { hasOpenssl } from '../support/certificates';
import { eventually } from '../support/eventually';
import { hasHaproxy, PostgresBalancer } from '../support/haproxy';
import { OwnPostgres } from '../support/own-postgres';
import { freePort } from '../support/redis-server';
import { createBody, designBody } from '../support/samples';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { TcpProxy } from '../support/tcp-proxy';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';

describe('a replica for lists', () => {
  let primary: OwnPostgres;
  let replica: OwnPostgres;
  let network: TcpProxy;
  let stack: Stack;
  let manager: StaffClient;
  let metricsPort: number;

  beforeAll(async () => {
    metricsPort = await freePort();
    primary = await OwnPostgres.start(() => undefined);
    await migrateDatabase(primary.ownerUrl, primary.url);
    replica = await primary.startReplica(() => undefined);
    network = await TcpProxy.to(replica.url);
    const urls = { DATABASE_URL: primary.url, DATABASE_READ_URL: network.url };
    const env = { ...urls, METRICS_PORT: String(metricsPort) };
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
    const response = await manager.get(`/admin/accounts?search=${name}`);
    expect(response.status).toBe(200);
    return (response.body.items as unknown[]).length > 0;
  }

  async function open(name: string): Promise<string> {
    const response = await manager.post('/admin/accounts', { name, tier: 'creator', reason: 'A test' });
    expect(response.status).toBe(201);
    return response.body.id as string;
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
    await eventually(async () => expect(await listed('withoutreplica')).toBe(false));
    await holdReplica(false);
  });

  it('is measured: by how much it is behind', async () => {
    const lag = async () => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return Number(/^greenroom_replica_lag_seconds (\S+)$/m.exec(text)![1]);
    };
    await eventually(async () => expect(await lag()).toBe(0));
    await holdReplica(true);
    await open('notonreplica');
    await eventually(async () => expect(await lag()).toBeGreaterThan(1));
    await holdReplica(false);
    await eventually(async () => expect(await lag()).toBe(0));
  });

  it('is examined by the doctor: whether it responds, and follows', async () => {
    const examined = async (readUrl: string) => {
      const config = loadConfig({ DATABASE_URL: primary.url, DATABASE_READ_URL: readUrl, APP_SECRET });
      const report = await examineDatabase(config, []);
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

/** In this order, as DATABASE_URL has them. */
function severalHosts(...urls: string[]): string {
  const several = new URL(urls[0]!);
  several.searchParams.set('hosts', urls.map((url) => new URL(url).host).join());
  return several.href;
}

describe('a standby that is promoted when its primary is gone', () => {
  let primary: OwnPostgres;
  let standby: OwnPostgres;

  beforeEach(async () => {
    primary = await OwnPostgres.start(() => undefined);
    await migrateDatabase(primary.ownerUrl, primary.url);
    standby = await primary.startReplica(() => undefined);
  });
  afterEach(() => standby.stop());

  const listCharges = (server: OwnPostgres, keyId: string) =>
    server.query(`SELECT id, request_id FROM credit_ledger WHERE key_id = '${keyId}' ORDER BY id`);

  /** With a charge before, and one after it. */
  async function failOver(databaseUrl: string): Promise<void> {
    const stack = await Stack.start({ worker: false, env: { DATABASE_URL: databaseUrl } });
    try {
      const { secret, keyId } = await stack.issueKey();
      const ready = async () => (await stack.request('GET', '/readyz')).status;
      const design = async () =>
        (await stack.request('POST', '/v1/text-to-voice/design', { secret, body: designBody() })).status;
      expect([await ready(), await design()]).toEqual([200, 200]);
      const before = await listCharges(primary, keyId);
      await primary.stop();
      await eventually(async () => expect(await ready()).toBe(503));
      expect(await design()).toBe(503);
      await standby.query('SELECT pg_promote()');
      await eventually(async () => expect(await ready()).toBe(200));
      await eventually(async () => expect(await design()).toBe(200));
      const after = await listCharges(standby, keyId);
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after).toHaveLength(2 * before.length);
    } finally {
      await stack.stop();
    }
  }

  it('is found by the second host of DATABASE_URL', () => failOver(severalHosts(primary.url, standby.url)));

  (hasHaproxy ? it : it.skip)('is found behind HAProxy', async () => {
    const haproxy = await PostgresBalancer.before(primary.url, standby.url);
    try {
      await failOver(haproxy.url);
    } finally {
      await haproxy.stop();
    }
  });
});

describe('a DATABASE_URL with several hosts', () => {
  it('leads to the one that takes writes, and after a failover to the next', async () => {
    const primary = await OwnPostgres.start(() => undefined);
    await migrateDatabase(primary.ownerUrl, primary.url);
    const replica = await primary.startReplica(() => undefined);
    const env = { DATABASE_URL: severalHosts(replica.url, primary.url) };
    const stack = await Stack.start({ worker: false, env });
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
      await eventually(async () => expect(await ready()).toBe(200));
      await eventually(async () => expect((await design()).status).toBe(200));
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
