import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { Stack } from '../support/stack';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false, env: { DRAIN_SECS: '3' } });
});

afterAll(async () => {
  await stack.stop();
});

it('a stopping api reports it, continues to serve for a while, and keeps no connection', async () => {
  const { secret } = await stack.issueKey();
  const api = await ApiProcess.start(stack.config);
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  const startedAt = performance.now();
  const stopped = api.stop();
  await eventually(async () => expect((await fetch(`${api.url}/readyz`)).status).toBe(503));
  const answer = await fetch(`${api.url}/v1/models`, { headers: { 'xi-api-key': secret } });
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  await stopped;
  expect(performance.now() - startedAt).toBeGreaterThan(2_900);
  await expect(fetch(`${api.url}/readyz`)).rejects.toThrow();
});
