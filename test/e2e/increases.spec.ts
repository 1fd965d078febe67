import { randomUUID } from 'node:crypto';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { eventually } from '../support/eventually';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const DAY_MS = 86_400_000;
const ANY = { 'if-match': '*' };
const reason = 'A fair';
const stack = Stack.ofFile();
const manager = StaffClient.ofFile(stack, 'account_manager');
const support = StaffClient.ofFile(stack, 'support');

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

const account = async (accountId: string) => (await support.get(`/admin/accounts/${accountId}`)).body;

const editAccount = (accountId: string, body: object) =>
  manager.patch(`/admin/accounts/${accountId}`, { reason, ...body }, ANY);

async function addBudget({ accountId }: IssuedKey, body: object = {}): Promise<string> {
  const input = { name: 'Daily', amount: 100, window: 'day', reason, ...body };
  return (await manager.post(`/admin/accounts/${accountId}/budgets`, input)).body.id as string;
}

const budgetPath = ({ accountId }: IssuedKey, id: string) => `/admin/accounts/${accountId}/budgets/${id}`;

const charge = ({ keyId, accountId }: IssuedKey, cost: number) =>
  stack.api.get(CreditLedger).charge({ keyId, accountId, cost, operation: 'test', requestId: randomUUID() });

/** Lets the undo timers of something run out, and waits until the worker's timer has found them. */
async function fallDue(subjectId: string): Promise<void> {
  const due = 'FROM key_undo WHERE subject_id = $1 AND due_at IS NOT NULL';
  await stack.asOwner('UPDATE key_undo SET due_at = now() WHERE subject_id = $1 AND due_at IS NOT NULL', [
    subjectId,
  ]);
  await eventually(async () =>
    expect(await stack.dataSource.query(`SELECT setting ${due}`, [subjectId])).toEqual([]),
  );
}

const actionsOf = (id: string) =>
  stack.dataSource.query<object[]>(
    'SELECT action, before, after, reason FROM audit_event WHERE target_id = $1 ORDER BY id',
    [id],
  );

describe('an increase that ends', () => {
  it('of an account takes itself back: its tier and its limits, and its keys are charged by them', async () => {
    const key = await stack.issueKey({ tier: 'free' });
    const { accountId } = key;
    const before = await account(accountId);
    const revertAt = inDays(20);
    const raised = await editAccount(accountId, {
      name: 'A name that stays',
      tier: 'pro',
      credit_limit: 2_000_000,
      revert_at: revertAt,
    });
    expect(raised.body).toMatchObject({ tier: 'pro', usage: { credits: { limit: 2_000_000 } } });
    const undos = raised.body.undo as { setting: string; before: unknown; due_at: string }[];
    expect(undos.map(({ setting, before: was, due_at }) => [setting, was, due_at]).toSorted()).toEqual([
      ['credit_limit_override', null, revertAt],
      ['tier', 'free', revertAt],
    ]);
    expect(await charge(key, 1_000_000)).toMatchObject({ charged: true });
    await fallDue(accountId);
    const reverted = await account(accountId);
    expect(reverted).toMatchObject({
      name: 'A name that stays',
      tier: 'free',
      limits: before.limits,
      usage: { credits: { limit: (before.usage as { credits: { limit: number } }).credits.limit } },
    });
    expect((reverted.undo as { due_at: null }[]).map(({ due_at }) => due_at)).toEqual([null, null]);
    expect(await charge(key, 1)).toMatchObject({ charged: false, scope: 'account' });
    const actions = await actionsOf(accountId);
    expect(actions).toMatchObject([
      { action: 'account.edited', after: { tier: 'pro', undo_due_at: revertAt } },
      { action: 'account.edit_undone', reason: 'The change was not kept in time.' },
      { action: 'account.edit_undone', reason: 'The change was not kept in time.' },
    ]);
  });

  it('of a budget of an account or a tag takes itself back', async () => {
    const key = await stack.issueKey();
    await manager.patch(`/admin/api-keys/${key.keyId}`, { tags: ['fair'], reason }, ANY);
    for (const subject of [{}, { name: 'Of a tag', tag: 'fair' }]) {
      const id = await addBudget(key, subject);
      const path = budgetPath(key, id);
      const revertAt = inDays(3);
      const raised = await manager.patch(path, { amount: 900, reason, revert_at: revertAt }, ANY);
      expect(raised.body).toMatchObject({
        amount: 900,
        undo: { setting: 'amount', before: 100, due_at: revertAt },
      });
      await fallDue(id);
      expect((await support.get(path)).body).toMatchObject({
        amount: 100,
        undo: { before: 900, due_at: null },
      });
      expect(await actionsOf(id)).toMatchObject([
        { action: 'budget.created' },
        { action: 'budget.edited', after: { amount: 900, undo_due_at: revertAt } },
        { action: 'budget.edit_undone', before: { amount: 900 }, after: { amount: 100 } },
      ]);
    }
    expect(await charge(key, 101)).toMatchObject({ charged: false, reason: 'budget_spent' });
  });

  it('may be kept or undone before, and another change of the same replaces it', async () => {
    const key = await stack.issueKey({ tier: 'free' });
    const { accountId } = key;
    const raise = (credit_limit: number, more: object = { revert_at: inDays(1) }) =>
      editAccount(accountId, { credit_limit, ...more });
    const settled = (way: 'undo' | 'keep', setting = 'credit_limit_override') =>
      manager.post(`/admin/accounts/${accountId}/settings/${setting}/${way}`, { reason }, ANY);
    const override = async () =>
      ((await account(accountId)).limits as { credits_override: number | null }).credits_override;
    await raise(50_000);
    expect((await settled('keep')).status).toBe(200);
    expect((await settled('keep')).status).toBe(409);
    await fallDue(accountId);
    expect(await override()).toBe(50_000);
    await raise(60_000);
    expect((await settled('undo')).body).toMatchObject({ limits: { credits_override: 50_000 } });
    await raise(70_000);
    await raise(80_000, {});
    await fallDue(accountId);
    expect(await override()).toBe(80_000);
    expect((await settled('undo', 'name')).status).toBe(404);
    const id = await addBudget(key);
    const path = budgetPath(key, id);
    await manager.patch(path, { amount: 900, reason, revert_at: inDays(1) }, ANY);
    expect((await manager.post(`${path}/keep`, { reason }, ANY)).body).toMatchObject({
      amount: 900,
      undo: { due_at: null },
    });
    expect((await manager.post(`${path}/undo`, { reason }, ANY)).body).toMatchObject({ amount: 100 });
    expect((await support.post(`${path}/undo`, { reason }, ANY)).status).toBe(403);
  });

  it.each([
    [inDays(-1), /^should be a time within 366 days/],
    [inDays(400), /^should be a time within 366 days/],
    ['tomorrow', /time/],
  ])('422 for an end of %s, and nothing changes', async (revert_at, message) => {
    const key = await stack.issueKey({ tier: 'free' });
    const id = await addBudget(key);
    for (const response of [
      await editAccount(key.accountId, { credit_limit: 50_000, revert_at }),
      await manager.patch(budgetPath(key, id), { amount: 900, reason, revert_at }, ANY),
    ]) {
      expect(response.status).toBe(422);
      const [error] = response.body.errors as { pointer: string; message: string }[];
      expect([error!.pointer, error!.message]).toEqual(['#/revert_at', expect.stringMatching(message)]);
    }
    expect((await support.get(budgetPath(key, id))).body).toMatchObject({ amount: 100, undo: null });
    expect((await account(key.accountId)).limits).toMatchObject({ credits_override: null });
  });

  it('of a budget that was deleted, or of an account that was closed, is nothing to revert', async () => {
    const [key, other] = [await stack.issueKey({ tier: 'free' }), await stack.issueKey({ tier: 'free' })];
    const id = await addBudget(key);
    await manager.patch(budgetPath(key, id), { amount: 900, reason, revert_at: inDays(1) }, ANY);
    await manager.send('DELETE', budgetPath(key, id), { reason }, ANY);
    await editAccount(key.accountId, { credit_limit: 50_000, revert_at: inDays(1) });
    await stack.asOwner(`UPDATE account SET status = 'closed' WHERE id = $1`, [key.accountId]);
    await stack.asOwner('UPDATE key_undo SET due_at = now() WHERE subject_id = $1', [key.accountId]);
    await editAccount(other.accountId, { credit_limit: 50_000, revert_at: inDays(1) });
    await fallDue(other.accountId);
    expect(await stack.dataSource.query('SELECT FROM key_undo WHERE subject_id = $1', [id])).toEqual([]);
    expect(await account(key.accountId)).toMatchObject({
      status: 'closed',
      limits: { credits_override: 50_000 },
    });
  });
});
