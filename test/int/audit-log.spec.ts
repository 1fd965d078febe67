import { AuditLog, type AuditEntry } from '../../libs/administration/audit/audit-log';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { loadConfig } from '../../libs/config/app-config';
import { createDataSource } from '../../libs/database/data-source';
import { AuditLogRepository } from '../../libs/database/audit/audit-log.repository';
import { generateSecret } from '../../libs/domain/keys/api-key-secret';
import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';

let database: TestDatabase;
let dataSource: DataSource;
let auditLog: AuditLog;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  auditLog = auditLogWith(APP_SECRET);
});

beforeEach(async () => {
  await tamper('DELETE FROM audit_event');
  await tamper('DELETE FROM audit_head');
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

function auditLogWith(secret: string): AuditLog {
  return new AuditLog(dataSource, new AuditLogRepository(dataSource), loadConfig({ APP_SECRET: secret }));
}

const entry = (id: string, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  actor: { ...bySystem('test'), address: '192.0.2.7', requestId: 'r-1' },
  action: 'key.disabled',
  target: { type: 'api_key', id, accountId: '0b9f6a3e-0000-4000-8000-000000000001' },
  before: { enabled: true, nested: { z: 1.5, a: [1, null, 'ü'] } },
  after: { enabled: false },
  reason: 'Trial ended',
  ...changes,
});

async function recordMany(count: number): Promise<void> {
  for (let i = 1; i <= count; i += 1) {
    await dataSource.transaction((em) => auditLog.record(entry(`key-${i}`), em));
  }
}

/** Changes the log as a person with all rights on the database can. */
async function tamper(sql: string): Promise<void> {
  await queryAs(database.ownerUrl, `SET session_replication_role = replica; ${sql}`);
}

describe('send', () => {
  it('is committed with its transaction', async () => {
    const { written } = await dataSource.transaction((em) => auditLog.send(entry('key-1'), em));
    await written;
    expect(await auditLog.verifyChain()).toMatchObject({ ok: true, rows: 1 });
  });

  it('rolls back the transaction of an event that is refused', async () => {
    const refused = entry('key-1', { actor: { ...bySystem('test'), kind: 'visitor' as 'system' } });
    const { written } = await dataSource.transaction(async (em) => {
      await auditLog.record(entry('key-2'), em);
      return auditLog.send(refused, em);
    });
    await expect(written).rejects.toThrow('audit_event_actor_kind_check');
    expect(await auditLog.verifyChain()).toMatchObject({ ok: true, rows: 0 });
  });
});

describe('record', () => {
  it('chains events in the order they were written', async () => {
    await recordMany(3);
    const rows = await dataSource.query<{ seq: number; day: string }[]>(
      'SELECT seq FROM audit_event ORDER BY id',
    );
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await auditLog.verifyChain()).toMatchObject({ ok: true, rows: 3, heads: [{ seq: 3 }] });
  });

  it('100 events at once, over 3 connections, make one unbroken chain', async () => {
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        dataSource.transaction(async (em) => {
          await em.query('SELECT 1');
          await auditLog.record(entry(`key-${i}`), em);
        }),
      ),
    );
    expect(await auditLog.verifyChain()).toMatchObject({ ok: true, rows: 100 });
  });

  it('leaves nothing behind when its transaction is rolled back, and no gap', async () => {
    await recordMany(1);
    const failed = dataSource.transaction(async (em) => {
      await auditLog.record(entry('never'), em);
      throw new Error('the change failed');
    });
    await expect(failed).rejects.toThrow('the change failed');
    await recordMany(1);
    expect(await auditLog.verifyChain()).toMatchObject({ ok: true, rows: 2 });
  });

  it('replaces secrets wherever they stand, and writes the event', async () => {
    const secret = generateSecret('api_key', randomBytes);
    const changes = {
      reason: `it was ${secret} and ${secret}`,
      before: { [secret]: 1, labels: { token: 'warm', Password: { of: 'three lamps' } } },
      after: { note: [`see ${secret}`], deep: [{ secret }] },
    };
    await dataSource.transaction((em) => auditLog.record(entry(`key-${secret}`, changes), em));
    const [row] = await dataSource.query<{ text: string; before: object }[]>(
      'SELECT e::text AS text, before FROM audit_event e',
    );
    expect(row!.text).not.toContain(secret);
    expect(row!.text).not.toMatch(/three lamps|warm/);
    expect(row!.before).toEqual({
      '[redacted]': 1,
      labels: { token: '[redacted]', Password: '[redacted]' },
    });
    expect(await auditLog.verifyChain()).toMatchObject({ ok: true, rows: 1 });
  });

  it('writes texts that PostgreSQL would refuse or change, and the chain still fits', async () => {
    const changes = {
      reason: 'half \ud83d and \0',
      after: { 'a\0': ['\udc00'] },
      before: { ['__proto__']: 1e21 },
    };
    await dataSource.transaction((em) => auditLog.record(entry('key-1', changes), em));
    expect(await auditLog.verifyChain()).toMatchObject({ ok: true, rows: 1 });
  });

  it('starts a day with 1 and chains it to the day before', async () => {
    await recordMany(2);
    await dataSource.transaction(async (em) => {
      const repository = new AuditLogRepository(dataSource);
      const tip = await repository.lockTip(em);
      expect(tip.seq).toBe(2);
    });
    await tamper(`UPDATE audit_head SET day = day - 1`);
    const tip = await dataSource.transaction((em) => new AuditLogRepository(dataSource).lockTip(em));
    expect([tip.seq, tip.hash]).toEqual([0, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it('stays on the newest day and time when the clock is set back', async () => {
    await recordMany(1);
    await tamper(`UPDATE audit_head SET day = day + 1, at = at + interval '1 day'`);
    const tip = await dataSource.transaction((em) => new AuditLogRepository(dataSource).lockTip(em));
    const [head] = await dataSource.query<{ at: Date }[]>('SELECT at FROM audit_head');
    expect([tip.seq, tip.at]).toEqual([1, head!.at]);
  });
});

describe('the table', () => {
  it.each([
    `UPDATE audit_event SET reason = 'another'`,
    'DELETE FROM audit_event',
    'TRUNCATE audit_event',
    'DELETE FROM audit_head',
    'TRUNCATE audit_head',
  ])('refuses %s', async (sql) => {
    await recordMany(1);
    await expect(dataSource.query(sql)).rejects.toThrow(/^permission denied for table audit_/);
    await expect(queryAs(database.ownerUrl, sql)).rejects.toThrow(/append-only/);
  });

  it('gives a role that is not a superuser no right to change it, not even its owner', async () => {
    const rows = await dataSource.query<{ privilege_type: string }[]>(
      `SELECT DISTINCT privilege_type FROM information_schema.role_table_grants
       WHERE table_name = 'audit_event' ORDER BY privilege_type`,
    );
    const rights = rows.map((row) => row.privilege_type);
    expect(rights).toEqual(expect.arrayContaining(['INSERT', 'SELECT']));
    expect(rights).not.toEqual(expect.arrayContaining(['UPDATE']));
    expect(rights).not.toEqual(expect.arrayContaining(['DELETE']));
    expect(rights).not.toEqual(expect.arrayContaining(['TRUNCATE']));
  });
});

describe('verifyChain', () => {
  it.each([
    ['a changed reason', `UPDATE audit_event SET reason = 'x' WHERE seq = 3`, 3, 'the row was changed'],
    [
      'a changed value inside',
      `UPDATE audit_event SET after = '{"enabled": true}' WHERE seq = 2`,
      2,
      'the row was changed',
    ],
    ['another actor', `UPDATE audit_event SET actor_id = 'someone' WHERE seq = 4`, 4, 'the row was changed'],
    [
      'another time',
      `UPDATE audit_event SET at = at - interval '1 ms' WHERE seq = 1`,
      1,
      'the row was changed',
    ],
    [
      'another address',
      `UPDATE audit_event SET address = '192.0.2.8' WHERE seq = 1`,
      1,
      'the row was changed',
    ],
    ['a removed row', `DELETE FROM audit_event WHERE seq = 2`, 3, 'rows are missing before it'],
    ['a removed beginning', `DELETE FROM audit_event WHERE seq <= 2`, 3, 'rows are missing before it'],
    ['a removed end', `DELETE FROM audit_event WHERE seq >= 4`, 3, 'rows are missing after it'],
    ['everything removed', `DELETE FROM audit_event`, 1, 'the rows of this day are missing'],
    [
      'a row copied from another',
      `INSERT INTO audit_event (day, seq, at, actor_kind, actor_id, actor_name, action, target_type, target_id, hash)
       SELECT day, 6, at, actor_kind, actor_id, actor_name, action, target_type, target_id, hash FROM audit_event WHERE seq = 5`,
      6,
      'the row was changed',
    ],
    [
      'two rows swapped',
      `UPDATE audit_event SET seq = CASE seq WHEN 2 THEN 3 ELSE 2 END + 100 WHERE seq IN (2, 3); UPDATE audit_event SET seq = seq - 100 WHERE seq > 100`,
      2,
      'the row was changed',
    ],
    ['a changed head', `UPDATE audit_head SET hash = repeat('a', 64)`, 5, 'the head of its day was changed'],
  ] as const)('names the first broken row: %s', async (_, sql, seq, problem) => {
    await recordMany(5);
    await tamper(sql);
    expect(await auditLog.verifyChain()).toMatchObject({ ok: false, broken: { seq, problem } });
  });

  it('finds an end that was cut off together with its head, by a head that was kept', async () => {
    await recordMany(5);
    const verdict = await auditLog.verifyChain();
    const stored = verdict.ok ? verdict.heads : [];
    await tamper('DELETE FROM audit_event WHERE seq > 3');
    await tamper('UPDATE audit_head SET seq = 3, hash = (SELECT hash FROM audit_event WHERE seq = 3)');
    expect(await auditLog.verifyChain()).toMatchObject({ ok: true });
    expect(await auditLog.verifyChain(stored)).toMatchObject({
      ok: false,
      broken: { seq: 3, problem: 'rows are missing after it' },
    });
  });

  it('finds a chain that was recomputed with another key', async () => {
    await recordMany(2);
    expect(await auditLogWith('another-secret-of-at-least-32-characters').verifyChain()).toMatchObject({
      ok: false,
      broken: { seq: 1, problem: 'the row was signed with a secret that is not known here' },
    });
  });
});
