import { randomUUID } from 'node:crypto';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { AccountMover, type MoveStep } from '../../libs/administration/cells/account-mover';
import { WebhookSecrets } from '../../libs/webhooks/webhook-secrets';
import { loadConfig } from '../../libs/config/app-config';
import { LEDGER_TABLES, MOVED_TABLES, UNMOVED_TABLES } from '../../libs/database/cells/account-tables';
import { withCell } from '../../src/cli/cells/cell-connection';
import { mapLines } from '../../src/cli/cells/map-lines';
import { eventually } from '../support/eventually';
import { makeVoice } from '../support/previews';
import { Stack, type IssuedKey } from '../support/stack';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const SECRETS = ['a-secret-of-the-first-cell-of-these-tests', 'a-secret-of-the-second-cell-of-these-tests'];

let databases: TestDatabase[];
let first: Stack;
let second: Stack;

beforeAll(async () => {
  databases = [await createTestDatabase(), await createTestDatabase()];
  const start = (index: number, CELL: string) =>
    Stack.start({ worker: false, database: databases[index], env: { CELL, APP_SECRET: SECRETS[index] } });
  [first, second] = [await start(0, '00'), await start(1, '01')];
});

afterAll(() => Promise.all([first.stop(), second.stop()]));

const MODELS = '/v1/models';

const configOf = (index: number, CELL: string) =>
  loadConfig({
    DATABASE_URL: databases[index]!.url,
    MIGRATION_DATABASE_URL: databases[index]!.ownerUrl,
    APP_SECRET: SECRETS[index],
    CELL,
  });

/** Works with a mover from the first cell to the second, or back. */
function moving<T>(
  run: (mover: AccountMover) => Promise<T>,
  { onStep, back = false }: { onStep?: (step: MoveStep) => void | Promise<void>; back?: boolean } = {},
): Promise<T> {
  const [a, b] = [configOf(0, '00'), configOf(1, '01')];
  const [from, to] = back ? [b, a] : [a, b];
  return withCell(from, (source) => withCell(to, (target) => run(new AccountMover(source, target, onStep))));
}

const charge = (stack: Stack, { keyId, accountId }: IssuedKey, requestId: string, endUser?: string) =>
  stack.api.get(CreditLedger).charge({ keyId, accountId, cost: 1, operation: 'speech', requestId, endUser });

const status = async (stack: Stack, { secret }: IssuedKey) =>
  (await stack.request('GET', MODELS, { secret })).status;

const balanced = async (stack: Stack) => (await reconcileCredits(stack.dataSource)).breaches;

const rowsIn = (stack: Stack, table: string, accountId: string) =>
  stack.asOwner(`SELECT FROM ${table} WHERE account_id = $1`, [accountId]);

it('every table is moved with an account, or named as one that is not', async () => {
  const tables = await first.asOwner<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
  );
  const known = [...MOVED_TABLES.map(({ name }) => name), ...LEDGER_TABLES, ...Object.keys(UNMOVED_TABLES)];
  expect(tables.map(({ name }) => name).sort()).toEqual(known.sort());
});

describe('an account that moves', () => {
  it('takes its keys, voices, webhooks and credits along, and 421 stays behind', async () => {
    const key = await first.issueKey();
    // Numbers of the ledger and of the balances are taken in both cells.
    for (const stack of [first, second])
      for (let n = 0; n < 3; n++) await charge(stack, await stack.issueKey(), randomUUID());
    const before = [randomUUID(), randomUUID()];
    for (const id of before) await charge(first, key, id, 'user 7');
    const { voiceId } = await makeVoice(first, key.secret);
    const { id: webhookId } = await insertWebhook(first, key.accountId);
    const token = await first.request('POST', '/v1/single-use-token/tts_websocket', { secret: key.secret });

    const moved = await moving((mover) => mover.move(key.accountId, 'A test'));

    expect(await status(first, key)).toBe(421);
    await eventually(async () => expect(await status(second, key)).toBe(200));
    expect((await second.request('GET', `/v1/voices/${voiceId}`, { secret: key.secret })).status).toBe(200);
    expect(await charge(second, key, before[0]!)).toMatchObject({ charged: true, repeated: true });
    expect(await charge(second, key, randomUUID())).toMatchObject({ charged: true, repeated: false });
    const [webhook] = await second.asOwner<{ sealed_secret: string }>(
      'SELECT sealed_secret FROM webhook_endpoint WHERE id = $1',
      [webhookId],
    );
    expect(second.api.get(WebhookSecrets).open(webhookId, webhook!.sealed_secret)).toBe('whsec_of_a_test');
    const lines = await second.asOwner<{ end_user: string | null }>(
      'SELECT end_user FROM credit_ledger WHERE account_id = $1 AND request_id = ANY ($2)',
      [key.accountId, before],
    );
    expect(lines).toEqual(before.map(() => ({ end_user: 'user 7' })));
    expect([await balanced(first), await balanced(second)]).toEqual([[], []]);
    for (const table of ['api_key', 'voice', 'credit_balance'])
      expect(await rowsIn(first, table, key.accountId)).toEqual([]);
    const path = `/v1/text-to-speech/x?single_use_token=${token.body.token as string}`;
    expect((await first.request('POST', path, { body: {} })).body.detail).toMatchObject({
      code: 'other_cell',
    });
    expect((await second.request('POST', path, { body: {} })).status).not.toBe(421);
    const maps = mapLines(key.accountId, moved, '01');
    expect(maps).toContain(`^${key.accountId}$ cell_01`);
    expect(maps).toContain(`/v1/voices/${voiceId}/ cell_01`);
    expect(moved.digests).toHaveLength(2);
    expect(await auditOf(first, key.accountId)).toEqual(
      expect.arrayContaining(['account.move_begun', 'account.moved']),
    );
    expect(await auditOf(second, key.accountId)).toContain('account.arrived');
  });

  it('comes back with its keys', async () => {
    const key = await first.issueKey();
    await charge(first, key, randomUUID());
    await moving((mover) => mover.move(key.accountId, 'A test'));
    await eventually(async () => expect(await status(second, key)).toBe(200));
    await moving((mover) => mover.move(key.accountId, 'A test'), { back: true });
    expect(await status(second, key)).toBe(421);
    await eventually(async () => expect(await status(first, key)).toBe(200));
    expect(await balanced(first)).toEqual([]);
  });

  it('is refused with 503 and Retry-After meanwhile, and with it what writes to it', async () => {
    const key = await first.issueKey();
    const responses: unknown[] = [];
    const onStep = async (step: MoveStep) => {
      if (step !== 'drained') return;
      const { status, headers } = await first.request('GET', MODELS, { secret: key.secret });
      responses.push(status, headers.get('retry-after'));
      await expect(charge(first, key, randomUUID())).rejects.toThrow('being moved');
      await expect(
        first.asOwner('UPDATE api_key SET name = $2 WHERE id = $1', [key.keyId, 'changed']),
      ).rejects.toThrow('being moved');
    };
    await moving((mover) => mover.move(key.accountId, 'A test'), { onStep });
    expect(responses).toEqual([503, '5']);
  });

  const STEPS: MoveStep[] = ['announced', 'frozen', 'drained', 'copied', 'removed', 'thawed'];

  it.each(STEPS)(
    'killed after "%s" while it is charged, it loses nothing when it is continued',
    async (last) => {
      const key = await first.issueKey();
      const charged = new Set<string>();
      const state = { running: true };
      const charging = (async () => {
        while (state.running) {
          const requestId = randomUUID();
          for (const stack of [first, second]) {
            const outcome = await charge(stack, key, requestId).catch(() => null);
            if (outcome?.charged) charged.add(requestId);
          }
        }
      })();
      const killed = (step: MoveStep) => {
        if (step === last) throw new Error('killed');
      };
      await expect(
        moving((mover) => mover.move(key.accountId, 'A test'), { onStep: killed }),
      ).rejects.toThrow('killed');
      const owners = await Promise.all([first, second].map((stack) => serves(stack, key)));
      expect(owners.filter(Boolean).length).toBeLessThanOrEqual(1);
      await moving((mover) => mover.move(key.accountId, 'A test'));
      await eventually(async () => expect(await serves(second, key)).toBe(true));
      state.running = false;
      await charging;
      const lines = await second.asOwner<{ request_id: string }>(
        'SELECT request_id FROM credit_ledger WHERE account_id = $1',
        [key.accountId],
      );
      expect(lines.map(({ request_id: id }) => id).sort()).toEqual([...charged].sort());
      expect([await balanced(first), await balanced(second)]).toEqual([[], []]);
    },
  );

  it('is taken back until it has left, and not afterwards', async () => {
    const key = await first.issueKey();
    const killed = (step: MoveStep) => {
      if (step === 'copied') throw new Error('killed');
    };
    await expect(moving((mover) => mover.move(key.accountId, 'A test'), { onStep: killed })).rejects.toThrow(
      'killed',
    );
    expect(await status(first, key)).toBe(503);
    await moving((mover) => mover.cancel(key.accountId, 'A test'));
    await eventually(async () => expect(await status(first, key)).toBe(200));
    expect(await rowsIn(second, 'api_key', key.accountId)).toEqual([]);
    await moving((mover) => mover.move(key.accountId, 'A test'));
    await expect(moving((mover) => mover.cancel(key.accountId, 'A test'))).rejects.toThrow(
      "it is in the cell '01'",
    );
  });
});

/** Whether a cell admits charges of a key. */
async function serves(stack: Stack, key: IssuedKey): Promise<boolean> {
  return (await status(stack, key)) === 200;
}

async function insertWebhook(stack: Stack, accountId: string): Promise<{ id: string }> {
  const id = randomUUID();
  const sealed = stack.api.get(WebhookSecrets).seal(id, 'whsec_of_a_test');
  await stack.asOwner(
    `INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint)
     VALUES ($1, $2, 'test', 'https://hooks.example', '{}', $3, 'test')`,
    [id, accountId, sealed],
  );
  return { id };
}

async function auditOf(stack: Stack, accountId: string): Promise<string[]> {
  const rows = await stack.asOwner<{ action: string }>(
    'SELECT action FROM audit_event WHERE account_id = $1',
    [accountId],
  );
  return rows.map(({ action }) => action);
}
