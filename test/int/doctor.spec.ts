import { createDataSource } from '@app/database/data-source';
import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import type { AuditHead } from '@app/domain/audit/audit-chain';
import { LISTENER_RULESET } from '@app/domain/reviews/recording-rulesets';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { AuditLog, type AuditEntry } from '../../libs/administration/audit/audit-log';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { evaluateWorkers } from '../../libs/domain/operations/operation-check';
import { countProcesses } from '../../libs/operations/operation-checks';
import { loadConfig } from '../../libs/config/app-config';
import { onnxModel, p808OnnxModel } from '../support/audio/onnx-model';
import { Launched } from '../launcher/launched';
import { queryAs, whileLocked } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';

let folder: string;
/** With three events in the audit log, left by the command that people use. */
let seeded: TestDatabase;
let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-doctor-'));
  seeded = database = await createTestDatabase();
  const { code } = await greenroom(['seed'], { MIGRATION_DATABASE_URL: database.ownerUrl });
  expect(code).toBe(0);
  rmSync(folder, { recursive: true });
});

afterAll(() => seeded.drop());

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-doctor-'));
  database = await createTestDatabase(seeded);
  dataSource = await createDataSource(database.url, 'test').initialize();
});

afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
  rmSync(folder, { recursive: true });
});

type Report = { check: string; status: string; detail: string }[];

/** The command as built, on the database of the test. */
async function greenroom(
  args: string[],
  more: Parameters<typeof Launched.greenroom>[1] = {},
): Promise<{ code: number | string; output: string }> {
  const variables = { DATABASE_URL: database.url, APP_SECRET, DATA_DIR: folder, ...more };
  const command = Launched.greenroom(args, variables);
  const code = await command.ended();
  return { code, output: command.output };
}

async function doctor(args: string[] = []): Promise<{ code: number | string; report: Report }> {
  const { code, output } = await greenroom(['doctor', '--json', ...args]);
  return { code, report: JSON.parse(output) as Report };
}

const failures = (report: Report) => report.filter(({ status }) => status === 'failed');

/** Changes the database as a person with all rights on it can. */
async function tamper(sql: string): Promise<void> {
  await queryAs(database.ownerUrl, `SET session_replication_role = replica; ${sql}`);
}

it('finds nothing wrong with a new installation, and says what it looked at', async () => {
  const { code, output } = await greenroom(['doctor']);
  expect(output).toMatch(/^ok +release +Greenroom \d+\.\d+\.\d+ \(/);
  expect(output).toMatch(/^ok +database +PostgreSQL \d+/m);
  expect(output).toMatch(
    /^ok +schema +All migrations are applied, and all functions are those of this release\.$/m,
  );
  expect(output).toMatch(/^ok +audit log +The chain is unbroken \(events: 3, days: 1\)\.$/m);
  expect(output).toMatch(/Everything is healthy\.\n$/);
  expect(code).toBe(0);
});

it('names the first event of the audit log that was tampered with', async () => {
  await tamper(`UPDATE audit_event SET reason = 'Another reason' WHERE seq = 2`);
  const { code, report } = await doctor();
  expect(failures(report)).toEqual([
    {
      check: 'audit log',
      status: 'failed',
      detail: expect.stringMatching(
        /^Broken at event 2 of \d{4}-\d\d-\d\d: the row was changed\. Intact events before it: 1\.$/,
      ),
    },
  ]);
  expect(code).toBe(1);
});

it('names a process that runs with another APP_SECRET, and there the secret that is not that of the database', async () => {
  const other = 'another-secret-that-a-process-was-started-with';
  const config = loadConfig({ APP_SECRET: other });
  const log = new AuditLog(dataSource, new AuditLogRepository(dataSource), config);
  const event: AuditEntry = {
    actor: bySystem('test'),
    action: 'key.disabled',
    target: { type: 'api_key', id: 'key' },
    reason: 'Trial ended',
  };
  await dataSource.transaction((em) => log.record(event, em));
  const secretRow = async (env = {}) =>
    (JSON.parse((await greenroom(['doctor', '--json'], env)).output) as Report).find(
      ({ check }) => check === 'secret',
    );
  expect(await secretRow()).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('but 1 of the latest 4 events of the audit log'),
  });
  expect(await secretRow({ APP_SECRET: other })).toMatchObject({
    status: 'failed',
    detail: expect.stringMatching(
      /is not the secret .+ sealed with, and has signed 1 of the latest 4 events/,
    ),
  });
  const both = { APP_SECRET: other, APP_SECRET_PREVIOUS: APP_SECRET };
  expect(await secretRow(both)).toMatchObject({ status: 'ok' });
});

it('finds an end of the audit log that was cut off, by the heads that were kept', async () => {
  const items = await dataSource.query<AuditHead[]>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, seq, hash FROM audit_head`,
  );
  const file = join(folder, 'heads.json');
  writeFileSync(file, JSON.stringify({ items }));
  expect(failures((await doctor(['--heads', file])).report)).toEqual([]);

  await tamper('DELETE FROM audit_event WHERE seq = 3');
  await tamper('UPDATE audit_head SET seq = 2, hash = (SELECT hash FROM audit_event WHERE seq = 2)');
  expect(failures((await doctor()).report)).toEqual([]);
  expect(failures((await doctor(['--heads', file])).report)).toMatchObject([
    { check: 'audit log', detail: expect.stringContaining('rows are missing after it') },
  ]);
});

it('names an account whose move to another cell did not end', async () => {
  const accountId = '00000000-0000-4000-8000-000000000001';
  await tamper(
    `INSERT INTO account_move VALUES ('${accountId}', 'leaving', '00', '01', now() - interval '1 hour')`,
  );
  const { report } = await doctor();
  await tamper('DELETE FROM account_move');
  expect(failures(report)).toEqual([
    {
      check: 'moves',
      status: 'failed',
      detail: expect.stringMatching(
        `^Account ${accountId} is leaving for cell 01 since .*"greenroom cells move`,
      ),
    },
  ]);
});

it('names the account or key whose ledger and balance disagree', async () => {
  await tamper(`UPDATE credit_balance SET used = 5 WHERE subject = 'key'`);
  const { code, report } = await doctor();
  expect(failures(report)).toMatchObject([
    {
      check: 'reconciliation',
      detail: expect.stringMatching(/^1 of 2 do not balance\. First: key .*ledger 0, balance 5/),
    },
  ]);
  expect(code).toBe(1);
});

it('takes as long as a large ledger needs', async () => {
  const { examined } = await whileLocked(database.ownerUrl, 'ledger_line', async () => {
    const running = doctor();
    // Over the time that a statement of a request has, and what the command needs to start.
    await pause(10_000);
    return { examined: running };
  });
  expect(failures((await examined).report)).toEqual([]);
});

it('misses no worker where the apis have ended with it, as in a database that was restored', async () => {
  await dataSource.query(`INSERT INTO worker_process (id, name, concurrency, waiting, idle_ms, is_stuck, seen_at)
    VALUES (gen_random_uuid(), 'worker', 1, 0, 0, false, now() - interval '12 s')`);
  await dataSource.query(`INSERT INTO api_load (id, name, requests, refusals, requests_per_sec, refusals_per_sec, seen_at)
    VALUES (gen_random_uuid(), 'api', 0, 0, 0, 0, now() - interval '11 s')`);
  const checked = async () => evaluateWorkers(await countProcesses(dataSource)).status;
  expect(await checked()).toBe('ok');
  await dataSource.query('UPDATE api_load SET seen_at = now()');
  expect(await checked()).toBe('failed');
});

it('names a recording that is missing', async () => {
  const digest = 'a'.repeat(64);
  await tamper(
    `INSERT INTO voice_sample (id, voice_id, file_name, audio_digest, media_type, size_bytes, duration_secs)
     VALUES ('sample', 'voice', 'a.mp3', '${digest}', 'audio/mpeg', 1, 1)`,
  );
  expect(failures((await doctor()).report)).toMatchObject([
    { check: 'recordings', detail: expect.stringContaining(`missing: 1, first ${digest}`) },
  ]);
});

it('says whether there is an ffmpeg for other recordings, and which decoders it lacks', async () => {
  const path = join(folder, 'ffmpeg');
  const doctorWith = async (FFMPEG_PATH: string) => (await greenroom(['doctor'], { FFMPEG_PATH })).output;
  expect(await doctorWith('off')).toMatch(
    /^ok +other recordings *No ffmpeg .+: AAC .+ are refused by name\.$/m,
  );
  writeFileSync(path, '#!/bin/sh\necho ffmpeg version 7.1\necho " A....D aac  AAC"\n', { mode: 0o755 });
  expect(await doctorWith(path)).toMatch(
    /^warning +other recordings *ffmpeg 7\.1 .+ It has no decoder for alac, amrnb, amrwb\.$/m,
  );
  writeFileSync(path, '#!/bin/sh\nexit 1\n');
  expect(await doctorWith(path)).toMatch(
    /^failed +other recordings *.+ is not ffmpeg, or cannot be run .+, or to off\.$/m,
  );
});

it('tries the model of the second opinion', async () => {
  const path = join(folder, 'model.onnx');
  const doctorOn = async (more = {}) =>
    (await greenroom(['doctor'], { DNSMOS_MODEL_PATH: path, ...more })).output;
  expect(await doctorOn()).toMatch(/^failed +second opinion *DNSMOS_MODEL_PATH: .+ cannot be used: ENOENT/m);
  writeFileSync(path, onnxModel());
  expect(await doctorOn()).toMatch(
    /^ok +second opinion *The model model\.onnx [0-9a-f]{12} runs; reviews go by greenroom-2026-11-4\.$/m,
  );
  expect(await doctorOn({ REVIEW_RULESET: LISTENER_RULESET })).toMatch(
    /^failed +second opinion *REVIEW_RULESET: ".+" needs a model of listeners; give the path of/m,
  );
  writeFileSync(path, p808OnnxModel());
  expect(await doctorOn()).toMatch(
    new RegExp(`^ok +second opinion *The model .+; reviews go by ${LISTENER_RULESET}\\.$`, 'm'),
  );
});

it('says what is wrong with presets of allow-lists, and which changes nobody could approve', async () => {
  const doctorOn = async (more: Record<string, string>) => (await greenroom(['doctor'], more)).output;
  const presets = mkdtempSync(join(folder, 'presets-'));
  writeFileSync(join(presets, 'cloud.json'), '{"prefixes": [');
  const output = await doctorOn({ ALLOW_LIST_PRESETS_DIR: presets, APPROVAL_OF_CREDITS_ABOVE: '1000' });
  expect(output).toMatch(
    /^warning +presets +ALLOW_LIST_PRESETS_DIR: cloud: it is not JSON that can be read\. Lists stay as they are\.$/m,
  );
  expect(output).toMatch(/^failed +approvals +.*have accounts\.write \(credits\): [01]\. Add one, or unset/m);
  expect(await doctorOn({ ALLOW_LIST_PRESETS_DIR: join(folder, 'nowhere') })).toMatch(
    /^warning +presets +ALLOW_LIST_PRESETS_DIR: the folder cannot be read \(ENOENT/m,
  );
});

it('warns of a role that may do too much, and fails for one that may do too little', async () => {
  const rights = async (more = {}) => {
    const { code, output } = await greenroom(['doctor', '--json'], more);
    return [code, (JSON.parse(output) as Report).find(({ check }) => check === 'rights')];
  };
  expect(await rights({ DATABASE_URL: database.ownerUrl })).toEqual([
    0,
    {
      check: 'rights',
      status: 'warning',
      detail:
        'The role greenroom of DATABASE_URL has more rights than the application needs: it is a superuser. See "Two roles" in docs/operations.md.',
    },
  ]);
  await queryAs(database.ownerUrl, 'REVOKE SELECT ON voice FROM greenroom_app');
  expect(await rights()).toEqual([
    1,
    expect.objectContaining({
      status: 'failed',
      detail: expect.stringMatching(/lacks SELECT on public\.voice\. Run "greenroom migrate"/),
    }),
  ]);
});

it('a migration by the application is refused, with what to do instead', async () => {
  const { code, output } = await greenroom(['migrate']);
  expect(output).toMatch(
    /^greenroom: The role "greenroom_app" may not change the schema \(permission denied for (database|table) \w+\)\. Set MIGRATION_DATABASE_URL /,
  );
  expect(code).toBe(1);
});

it('says which migrations are missing', async () => {
  await queryAs(database.ownerUrl, `DELETE FROM migration WHERE name LIKE 'KeysByLastFour%'`);
  const { code, report } = await doctor();
  expect(failures(report)).toMatchObject([
    {
      check: 'schema',
      detail: expect.stringMatching(/^Not applied: KeysByLastFour\w+\. Run "greenroom migrate"/),
    },
  ]);
  expect(code).toBe(1);
});

it.each([
  ['no file', 'missing.json', null, /missing\.json cannot be read as one: ENOENT/],
  ['no JSON', 'heads.json', 'heads', /heads\.json cannot be read as one/],
  ['no list', 'heads.json', '{"heads": []}', /heads\.json has no list "items" of \{day, seq, hash\} in it/],
])('refuses kept heads that are %s', async (_, name, content, message) => {
  const file = join(folder, name);
  if (content !== null) writeFileSync(file, content);
  const { code, output } = await greenroom(['doctor', '--heads', file]);
  expect(output).toMatch(message);
  expect(code).toBe(1);
});

describe('the command line leaves its traces in the audit log', () => {
  it('of a key that it created, with the actor "cli"', async () => {
    await dataSource.query(`UPDATE account SET ip_allow_list_enabled = true`);
    const created = await greenroom(['keys', 'create', '--account', 'Demo', '--allow-ip', '192.0.2.0/24']);
    expect(created.code).toBe(0);
    const events = await dataSource.query(
      `SELECT actor_kind, actor_id, action, after->>'allowed_ips' AS list, reason FROM audit_event WHERE actor_id = 'cli'`,
    );
    expect(events).toEqual([
      {
        actor_kind: 'system',
        actor_id: 'cli',
        action: 'key.created',
        list: '["192.0.2.0/24"]',
        reason: 'Created on the command line',
      },
    ]);
  });

  it('of a key that works nearly everywhere only when that is confirmed', async () => {
    await dataSource.query(`UPDATE account SET ip_allow_list_enabled = true`);
    const create = ['keys', 'create', '--account', 'Demo', '--allow-ip', '0.0.0.0/1'];
    const { code, output } = await greenroom(create);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^greenroom: 0\.0\.0\.0\/1 is very wide\..*--confirm/),
    ]);
    expect(await dataSource.query(`SELECT id FROM audit_event WHERE actor_id = 'cli'`)).toEqual([]);
    expect((await greenroom([...create, '--confirm'])).code).toBe(0);
  });

  it('not of a key for a closed account, which it refuses', async () => {
    await dataSource.query(`UPDATE account SET status = 'closed'`);
    const { code, output } = await greenroom(['keys', 'create', '--account', 'Demo']);
    expect([code, output]).toEqual([1, expect.stringMatching(/^greenroom: .*closed/)]);
  });

  it.each([
    [
      'of another tier',
      `UPDATE account SET tier = 'creator', ip_allow_list_enabled = true`,
      'on the tier creator. It needs the tier enterprise, and that an account manager has switched it on',
    ],
    [
      'for which it is not switched on',
      `UPDATE account SET tier = 'enterprise'`,
      'on the tier enterprise while IP allow-lists are switched off for the account. It needs an account manager who switches them on',
    ],
  ])('not of a key with an allow-list for an account %s', async (_, change, why) => {
    await dataSource.query(change);
    const create = ['keys', 'create', '--account', 'Demo', '--allow-ip', '192.0.2.0/24'];
    const { code, output } = await greenroom(create);
    expect([code, output]).toEqual([1, `greenroom: A new IP allow-list is not available ${why}.\n`]);
    expect(await dataSource.query(`SELECT id FROM api_key WHERE allowed_ips IS NOT NULL`)).toEqual([]);
    expect(await dataSource.query(`SELECT id FROM audit_event WHERE actor_id = 'cli'`)).toEqual([]);
  });
});

it('a database that may lose what it has confirmed is named, with what to set', async () => {
  const { pathname } = new URL(database.url);
  await queryAs(database.ownerUrl, `ALTER DATABASE ${pathname.slice(1)} SET synchronous_commit = off`);
  const { code, report } = await doctor();
  expect(code).toBe(0);
  expect(report.filter(({ check }) => ['durability', 'connections', 'space'].includes(check))).toEqual([
    {
      check: 'durability',
      status: 'warning',
      detail: expect.stringContaining('Set synchronous_commit = on.'),
    },
    { check: 'connections', status: 'ok', detail: expect.stringMatching(/^\d+ of \d+ connections/) },
    { check: 'space', status: expect.any(String), detail: expect.stringContaining(`${folder} has `) },
  ]);
});
