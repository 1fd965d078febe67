import { Logger } from '@nestjs/common';
import { KeyChangeListener } from '../../libs/auth/invalidation/key-change-listener';
import { KeyChanges, type ChangeReceipt } from '../../libs/auth/invalidation/key-changes';
import { KeyVerifier } from '../../libs/auth/key-verifier';
import { loadConfig } from '../../libs/config/app-config';
import { createDataSource } from '../../libs/database/data-source';
import { KeyChangeRepository } from '../../libs/database/keys/key-change.repository';
import type { VerifiableKey } from '../../libs/domain/keys/verifiable-key';
import { generateSecret } from '../../libs/domain/keys/api-key-secret';
import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { eventually } from '../support/eventually';
import { hasPgBouncer, PgBouncer } from '../support/pgbouncer';
import { verifiableKey } from '../support/verifiable-key';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

/** What every process reads its keys from; counts the reads. */
const keys = { found: null as VerifiableKey | null, reads: 0 };
const source = {
  findByDigest: async () => {
    keys.reads++;
    return keys.found;
  },
};

interface Process {
  verifier: KeyVerifier;
  listener: KeyChangeListener;
  changes: KeyChanges;
}

let database: TestDatabase;
let dataSource: DataSource;
let processes: Process[];

beforeAll(() => Logger.overrideLogger(false));

beforeEach(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  processes = await Promise.all([start(), start(), start(), start()]);
});

afterEach(async () => {
  await Promise.all(processes.map(({ listener }) => listener.onApplicationShutdown()));
  await dataSource.destroy();
  await database.drop();
});

async function start(): Promise<Process> {
  const verifier = new KeyVerifier(source);
  const listener = new KeyChangeListener([verifier], loadConfig({ DATABASE_URL: database.url }));
  const changes = new KeyChanges(new KeyChangeRepository(dataSource));
  changes.collectFrom(listener);
  await listener.onApplicationBootstrap();
  return { verifier, listener, changes };
}

const secret = generateSecret('api_key', randomBytes);
const request = { credential: secret, address: null, permission: null };

const addKey = () => verifiableKey({ keyId: randomUUID(), accountId: randomUUID() });

/** Every process has the key in its cache. */
async function warmUp(key: VerifiableKey): Promise<void> {
  keys.found = key;
  for (const { verifier } of processes) {
    await verifier.verify(request);
    expect(verifier.verifyCached(request)).toMatchObject({ allowed: true });
  }
}

async function announce(by: Process, change: Parameters<KeyChanges['announce']>[0]): Promise<ChangeReceipt> {
  const ticket = await dataSource.transaction((em) => by.changes.announce(change, em));
  return by.changes.receipt(ticket);
}

const cached = () => processes.map(({ verifier }) => verifier.verifyCached(request) !== undefined);

const loseConnections = () =>
  dataSource.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'greenroom-key-changes' AND datname = current_database()`,
  );

(hasPgBouncer ? it : it.skip)(
  'a process that only receives the notifications of its own connection does not use its cache',
  async () => {
    const pooler = await PgBouncer.start(database.url, { pool_mode: 'transaction' });
    const verifier = new KeyVerifier(source);
    const listener = new KeyChangeListener([verifier], loadConfig({ DATABASE_URL: pooler.url }));
    try {
      await listener.onApplicationBootstrap();
      expect(listener.isListening).toBe(false);
      keys.found = addKey();
      await verifier.verify(request);
      expect(verifier.verifyCached(request)).toBeUndefined();
    } finally {
      await listener.onApplicationShutdown();
      await pooler.stop();
    }
  },
);

it('a change is dropped by every process before the receipt says so, under the key and under the account', async () => {
  const key = addKey();
  for (const change of [
    { keyId: key.keyId },
    { accountId: key.accountId },
    { keyIds: [randomUUID(), key.keyId] },
  ]) {
    await warmUp(key);
    const receipt = await announce(processes[1]!, change);
    expect(receipt).toMatchObject({ processes: 4, acknowledged: 4 });
    expect(receipt.ms).toBeLessThan(500);
    expect(cached()).toEqual([false, false, false, false]);
  }
});

it('a change that is rolled back is not announced', async () => {
  await warmUp(addKey());
  const failing = dataSource.transaction(async (em) => {
    await processes[0]!.changes.announce({ keyId: keys.found!.keyId }, em);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await announce(processes[0]!, { keyId: randomUUID() });
  expect(cached()).toEqual([true, true, true, true]);
});

it('a thousand keys change in one transaction', async () => {
  await warmUp(addKey());
  const keyIds = Array.from({ length: 1_000 }, () => randomUUID());
  const receipt = await announce(processes[0]!, { keyIds: [...keyIds, keys.found!.keyId] });
  expect(receipt).toMatchObject({ processes: 4, acknowledged: 4 });
  expect(cached()).toEqual([false, false, false, false]);
});

it('a hundred changes at once from every process all get their receipts', async () => {
  const all = Array.from({ length: 100 }, (_, index) =>
    announce(processes[index % 4]!, { keyId: randomUUID() }),
  );
  for (const receipt of await Promise.all(all))
    expect(receipt).toMatchObject({ processes: 4, acknowledged: 4 });
});

it('a process that lost its connection reads every key, reconnects, and has then invalidated its cache', async () => {
  await warmUp(addKey());
  await loseConnections();
  const [reading, idle] = processes.map(({ verifier }) => verifier);
  await eventually(() => expect(cached()).toEqual([false, false, false, false]), { everyMs: 1 });
  keys.found = keys.found && { ...keys.found, disableReason: 'unused' };
  expect(await reading!.verify(request)).toMatchObject({ reason: 'disabled' });
  await eventually(async () => {
    expect(await announce(processes[0]!, { keyId: randomUUID() })).toMatchObject({
      processes: 4,
      acknowledged: 4,
    });
  });
  expect(idle!.verifyCached(request)).toBeUndefined();
  await reading!.verify(request);
  expect(reading!.verifyCached(request)).toMatchObject({ reason: 'disabled' });
});

it('a process that has stopped is not waited for', async () => {
  await processes.pop()!.listener.onApplicationShutdown();
  expect(await announce(processes[0]!, { keyId: randomUUID() })).toMatchObject({
    processes: 3,
    acknowledged: 3,
  });
});

it('a process that does not respond is counted, and no caller waits longer than half a second', async () => {
  await dataSource.query(`INSERT INTO api_process (id, seen_at) VALUES ($1, now())`, [randomUUID()]);
  const receipt = await announce(processes[0]!, { keyId: randomUUID() });
  expect(receipt).toMatchObject({ processes: 5, acknowledged: 4 });
  expect(receipt.ms).toBeGreaterThanOrEqual(450);
  expect(receipt.ms).toBeLessThan(1_000);
});

it('a command announces without a listener of its own', async () => {
  await warmUp(addKey());
  const changes = new KeyChanges(new KeyChangeRepository(dataSource));
  const ticket = await dataSource.transaction((em) => changes.announce({ keyId: keys.found!.keyId }, em));
  expect(await changes.receipt(ticket)).toMatchObject({ processes: 4, acknowledged: 0 });
  await eventually(() => expect(cached()).toEqual([false, false, false, false]));
});
