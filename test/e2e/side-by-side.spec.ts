import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { childEnvironment } from '../../libs/config/app-config';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { digestSecret, generateSecret } from '../../libs/domain/keys/api-key-secret';
import { eventually } from '../support/eventually';
import {
  findPreviousRelease,
  PRESENT_MAIN,
  PreviousRelease,
  ReleaseProcess,
} from '../support/previous-release';
import { queryAs } from '../support/query-as';
import { createEmptyDatabase, type TestDatabase } from '../support/test-database';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const CHARGING_CLIENTS = 4;
const TIMERS = 24;
/** One timer is due in each. */
const TIMER_MS = 500;
const DESIGNS = 3;

const commit = findPreviousRelease();
if (commit === '')
  console.warn(
    'The history of this clone does not reach the release before: the suite that runs it beside this one is LEFT OUT. To run it: git fetch --unshallow --tags',
  );

jest.setTimeout(900_000);

(commit === '' ? describe.skip : describe)('the release before, while this one migrates', () => {
  let previous: PreviousRelease;
  let database: TestDatabase;
  let processes: ReleaseProcess[] = [];

  const query = async <T>(sql: string, values?: unknown[]) => queryAs<T>(database.ownerUrl, sql, values);

  beforeAll(async () => {
    previous = PreviousRelease.build(commit);
    database = await createEmptyDatabase();
  });

  afterAll(async () => {
    await Promise.all(processes.map(async (each) => each.stop()));
    await database.drop();
    previous.remove();
  });

  const start = async (main: string, name: 'api' | 'worker') => {
    const started = await ReleaseProcess.start(main, name, { DATABASE_URL: database.url, APP_SECRET });
    processes.push(started);
    return started;
  };

  /** A database that the release before has used, as it left it. Returns the secret of a key in it. */
  async function fill(): Promise<string> {
    const file = join(__dirname, `../releases/${previous.version}.sql.gz`);
    const dump = gunzipSync(readFileSync(file)).toString();
    await query(dump);
    execFileSync(process.execPath, [previous.main, 'migrate'], {
      env: childEnvironment({
        DATABASE_URL: database.url,
        MIGRATION_DATABASE_URL: database.ownerUrl,
        APP_SECRET,
      }),
    });
    return /^-- (\S+)/.exec(dump)![1]!;
  }

  const logs = () => `logged:\n${processes.map(({ log }) => log).join('\n')}`;

  async function issueService(): Promise<string> {
    const secret = generateSecret('service_credential', randomBytes);
    await query(
      `INSERT INTO service_credential (id, name, digest, hint, created_by, created_at) VALUES ($1, 'side by side', $2, 'x', 'test', now())`,
      [randomUUID(), digestSecret(secret)],
    );
    return secret;
  }

  /** Keys whose allow-list a timer reverts, one every half second from now on. */
  async function setTimers(): Promise<void> {
    const before = [{ cidr: '198.51.100.7/32', note: null, endsAt: null, addedBy: null, addedAt: null }];
    await query(
      `WITH copied AS (
         INSERT INTO api_key SELECT (jsonb_populate_record(NULL::api_key, to_jsonb(k) || jsonb_build_object('id', gen_random_uuid(), 'name', 'timed ' || n))).*
         FROM api_key k, generate_series(1, ${TIMERS}) n
         WHERE k.id = (SELECT subject_id FROM key_undo WHERE setting = 'allowed_ips' LIMIT 1) RETURNING id, name, account_id),
       balances AS (
         INSERT INTO credit_balance (subject_id, subject, account_id, period_anchor, period_start, period_end)
         SELECT c.id, 'key', c.account_id, b.period_anchor, b.period_start, b.period_end
         FROM copied c JOIN credit_balance b ON b.subject_id = c.account_id)
       INSERT INTO key_undo (subject_id, before, changed_by, changed_at, due_at, setting)
       SELECT id, $1, 'test', now(), now() + make_interval(secs => ${TIMER_MS / 1_000} * substr(name, 7)::int), 'allowed_ips'
       FROM copied`,
      [JSON.stringify(before)],
    );
  }

  it('serves with no 5xx but a named 503: charges add up, timers fire in time, reviews end, and nothing deadlocks', async () => {
    const secret = await fill();
    const service = await issueService();
    const oldApi = await start(previous.main, 'api');
    const oldWorker = await start(previous.main, 'worker');
    const apis = [oldApi];
    const over = new AbortController();
    const statuses: Record<string, number> = {};
    const charged: string[] = [];

    /** To the apis in turn, as behind a balancer; again after a refusal that says when. */
    const send = async (
      path: string,
      headers: Record<string, string>,
      body: unknown,
    ): Promise<{ status: number; json: Record<string, never> }> => {
      const api = apis[Math.floor(Math.random() * apis.length)]!;
      const response = await fetch(`${api.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      const json = (await response.json()) as Record<string, never> & { detail?: { code?: string } };
      const outcome =
        response.status < 400 ? `${response.status}` : `${response.status} ${json.detail?.code}`;
      statuses[outcome] = (statuses[outcome] ?? 0) + 1;
      const againSecs = Number(response.headers.get('retry-after'));
      if (response.status !== 503 || againSecs === 0) return { status: response.status, json };
      await pause(againSecs * 1_000);
      return send(path, headers, body);
    };

    const charge = async () => {
      while (!over.signal.aborted) {
        const id = randomUUID();
        const body = { token: secret, cost: 1, request_id: id };
        const { json } = await send('/introspect', { authorization: `Bearer ${service}` }, body);
        if (json.active) charged.push(id);
        await pause(20);
      }
    };

    const createVoices = async () => {
      const customer = { 'xi-api-key': secret };
      const voice_description = 'A calm and warm voice of a woman in her forties';
      for (let round = 0; round < DESIGNS; round += 1) {
        const text = 'This is a text that a voice can speak for a while, so that it is known. '.repeat(2);
        const designed = await send('/v1/text-to-voice/design', customer, { voice_description, text });
        const previews = (designed.json.previews ?? []) as { generated_voice_id: string }[];
        for (const { generated_voice_id } of previews)
          await send('/v1/text-to-voice', customer, {
            voice_name: 'Side by side',
            voice_description,
            generated_voice_id,
          });
        await pause(2_000);
      }
    };

    await setTimers();
    const load = [...Array.from({ length: CHARGING_CLIENTS }, charge), createVoices()];
    await pause(2_000);
    const applied = await migrateDatabase(database.ownerUrl, database.url);
    await pause(2_000);
    const oldOnly = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    apis.push(await start(PRESENT_MAIN, 'api'));
    await start(PRESENT_MAIN, 'worker');
    await pause(2_000);
    apis.shift();
    await Promise.all([oldApi.stop(), oldWorker.stop()]);
    await pause(1_000);
    over.abort();
    await Promise.all(load);

    await eventually(async () => {
      const late = await query(`SELECT subject_id FROM key_undo WHERE due_at < now()`);
      if (late.length > 0) throw new Error(`${late.length} timers did not fire; ${logs()}`);
    });
    const [timed] = await query<{ reverted: number }>(
      `SELECT count(*)::int AS reverted FROM api_key WHERE name LIKE 'timed %' AND allowed_ips = '{198.51.100.7/32}'`,
    );
    await eventually(async () =>
      expect(
        await query(`SELECT name FROM voice WHERE review_state IN ('queued', 'running', 'retry_wait')`),
      ).toEqual([]),
    );
    const [{ deadlocks } = { deadlocks: -1 }] = await query<{ deadlocks: number }>(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    const voices = await query<{ count: number }>(
      `SELECT count(*)::int FROM voice WHERE name = 'Side by side' AND review_state = 'completed'`,
    );
    const sent = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    process.stdout.write(
      `${previous.version} beside the migrations of this tree (${applied.length} applied): ${sent} requests, ${oldOnly} of them to ${previous.version} alone, ${JSON.stringify(statuses)}; ${timed!.reverted} of ${TIMERS} timers fired; ${voices[0]!.count} voices reviewed; ${deadlocks} deadlocks\n`,
    );

    expect(
      Object.keys(statuses).filter((each) => each.startsWith('5') && !/^503 [a-z_]+$/.test(each)),
    ).toEqual([]);
    expect(charged.length).toBeGreaterThan(100);
    const stored = await query<{ count: number }>(
      'SELECT count(*)::int FROM credit_ledger WHERE request_id = ANY ($1)',
      [charged.map((id) => `service/${id}`)],
    );
    expect(stored[0]!.count).toBe(charged.length);
    expect(timed!.reverted).toBe(TIMERS);
    expect(voices[0]!.count).toBe(3 * DESIGNS);
    expect(deadlocks).toBe(0);
    for (const { log } of processes) expect(log).not.toMatch(/does not exist|deadlock/);
    const dataSource = await createDataSource(database.ownerUrl, 'test').initialize();
    expect(await reconcileCredits(dataSource)).toMatchObject({ breaches: [] });
    await dataSource.destroy();
  });
});
