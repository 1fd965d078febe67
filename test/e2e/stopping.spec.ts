import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { creditsUsed } from '../support/previews';
import { designBody } from '../support/samples';
import { Stack } from '../support/stack';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

it('a request on a connection that is in use when the api stops is served, and the last of its connection', async () => {
  const key = await stack.issueKey();
  const api = await ApiProcess.start(stack.config);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (method: string, path: string, body?: object) => {
    const headers = { 'xi-api-key': key.secret, 'content-type': 'application/json' };
    const sent = request(`${api.url}${path}`, { method, agent, headers });
    const response = new Promise<{ status?: number; connection?: string; body: unknown }>(
      (resolve, reject) => {
        sent.on('error', reject).on('response', (message) => {
          const { statusCode: status, headers: received } = message;
          json(message).then(
            (parsed) => resolve({ status, connection: received.connection, body: parsed }),
            reject,
          );
        });
      },
    );
    sent.end(body && JSON.stringify(body));
    return response;
  };
  const design = send('POST', '/v1/text-to-voice/design', designBody());
  await eventually(async () => expect(await creditsUsed(stack, key.keyId)).toBeGreaterThan(0), {
    everyMs: 5,
  });
  const stopped = api.stop('SIGTERM');
  await eventually(async () => expect(await fetch(`${api.url}/livez`).catch(() => 'closed')).toBe('closed'));
  const next = send('GET', '/v1/user');
  expect((await design).status).toBe(200);
  expect(await next).toMatchObject({
    status: 200,
    connection: 'close',
    body: { user_id: expect.any(String) },
  });
  await stopped;
});
