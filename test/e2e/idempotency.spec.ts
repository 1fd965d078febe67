import { copyPreviews, designPreviews } from '../support/previews';
import { createBody } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';

let stack: Stack;
let key: IssuedKey;
let previews: string[];

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  key = await stack.issueKey();
  const [first] = await designPreviews(stack, key);
  previews = await copyPreviews(stack, first!, 10);
});

afterAll(async () => {
  await stack.stop();
});

const create = (body: unknown, idempotencyKey: string, { secret } = key) =>
  stack.request('POST', '/v1/text-to-voice', {
    secret,
    body,
    headers: { 'idempotency-key': idempotencyKey },
  });

it('the same key and body give the same response, byte for byte, also when the voice has changed since', async () => {
  const body = createBody(previews[0]!, { labels: { b: '1', a: '2' } });
  const first = await create(body, '"8e03978e"');
  expect(first.status).toBe(200);
  await stack.dataSource.query(`UPDATE voice SET name = 'renamed' WHERE id = $1`, [first.body.voice_id]);
  const again = await create(body, '"8e03978e"');
  expect(again.bytes.toString()).toBe(first.bytes.toString());
});

it('20 at once are one voice and one response', async () => {
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => create(createBody(previews[1]!), 'at-once')),
  );
  expect(new Set(responses.map(({ status, bytes }) => `${status} ${bytes.toString()}`)).size).toBe(1);
});

it('409: the same key with another body, and nothing is created', async () => {
  await create(createBody(previews[2]!), 'reused');
  const { status, body } = await create(createBody(previews[3]!), 'reused');
  expect([status, body.detail?.code]).toEqual([409, 'idempotency_key_reused']);
  expect(await stack.dataSource.query('SELECT FROM voice WHERE preview_id = $1', [previews[3]])).toHaveLength(
    0,
  );
});

it('a refusal is not kept: the key can be used again', async () => {
  const unknown = await create(createBody('x'.repeat(20)), 'refused');
  expect(unknown.status).toBe(404);
  expect((await create(createBody(previews[4]!), 'refused')).status).toBe(200);
});

it('a key is free again after a day', async () => {
  await create(createBody(previews[5]!), 'old');
  await stack.dataSource.query(
    `UPDATE idempotent_request SET created_at = now() - interval '25 hours' WHERE key = 'old'`,
  );
  expect((await create(createBody(previews[6]!), 'old')).status).toBe(200);
});

it('keys of another account are other keys', async () => {
  const other = await stack.issueKey();
  const [preview] = await designPreviews(stack, other);
  await create(createBody(previews[7]!), 'shared');
  expect((await create(createBody(preview!), 'shared', other)).status).toBe(200);
});

it.each([[' '], ['a b'], ['x'.repeat(256)], ['\u00ff']])('400: the key %j', async (input) => {
  const { status, body } = await create(createBody(previews[8]!), input);
  expect([status, body.detail?.param]).toEqual([400, 'Idempotency-Key']);
});
