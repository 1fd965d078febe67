import { Stack, type IssuedKey } from '../support/stack';
import { DatabaseState } from './database-state';

let stack: Stack;
let key: IssuedKey;
let state: DatabaseState;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  key = await stack.issueKey();
  state = await DatabaseState.watch(stack);
});

afterAll(async () => {
  await stack.stop();
});

beforeEach(async () => {
  await state.writtenSince();
});

it('names the tables that were written to, once', async () => {
  await stack.request('POST', '/v1/service-accounts', { secret: key.secret, body: { name: 'Build' } });
  expect(await state.writtenSince()).toEqual(expect.arrayContaining(['public.service_account']));
  expect(await state.writtenSince()).toEqual([]);
});

it.each([
  ['deletes', 'DELETE FROM api_key_secret WHERE key_id = $1'],
  ['changes', `UPDATE api_key_secret SET retires_at = now() WHERE key_id = $1`],
])('names a table of which only one column may change, when something else %s', async (_, sql) => {
  const { keyId } = await stack.issueKey();
  await state.writtenSince();
  await stack.asOwner(sql, [keyId]);
  expect(await state.writtenSince()).toEqual(['public.api_key_secret']);
});

it.each([
  ['that changes nothing', 'UPDATE account SET name = name'],
  ['of when a secret was used', 'UPDATE api_key_secret SET last_used_at = now()'],
  ['of a count of refusals', 'DELETE FROM key_refusal'],
])('does not name an update %s', async (_, sql) => {
  await stack.asOwner(sql);
  expect(await state.writtenSince()).toEqual([]);
});

it('does not name what a transaction undid, or what a timer of the api has signed as the system', async () => {
  await stack.asOwner(`
    BEGIN; UPDATE api_key SET name = 'undone'; ROLLBACK;
    BEGIN;
    UPDATE api_key SET name = 'by a timer';
    UPDATE fuzz.written SET by_system = true WHERE transaction = pg_current_xact_id();
    COMMIT`);
  expect(await state.writtenSince()).toEqual([]);
});
