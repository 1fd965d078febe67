import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { creditsUsed } from '../support/previews';
import { RawConnection } from '../support/raw-connection';
import { freePort } from '../support/redis-server';
import { designBody } from '../support/samples';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

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
  const response = await fetch(`${api.url}/v1/models`, { headers: { 'xi-api-key': secret } });
  expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
  await stopped;
  expect(performance.now() - startedAt).toBeGreaterThan(2_900);
  await expect(fetch(`${api.url}/readyz`)).rejects.toThrow();
});

it('an api is not ready before the migrations of its release are done', async () => {
  const nameNewest = (name: string) =>
    stack.asOwner(`UPDATE migration SET name = ${name} WHERE id = (SELECT max(id) FROM migration)`);
  await nameNewest(`name || ' of another release'`);
  const api = await ApiProcess.start(stack.config);
  expect((await fetch(`${api.url}/readyz`)).status).toBe(503);
  await nameNewest(`replace(name, ' of another release', '')`);
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  await api.stop('SIGKILL');
});

it('two signals for one stop, of a supervisor and of the parent that passes it on, are one', async () => {
  const { secret } = await stack.issueKey();
  const api = await ApiProcess.start(stack.config);
  const stopped = api.stop();
  await eventually(async () => expect((await fetch(`${api.url}/readyz`)).status).toBe(503));
  api.signal('SIGTERM');
  const response = await fetch(`${api.url}/v1/models`, { headers: { 'xi-api-key': secret } });
  expect(response.status).toBe(200);
  await stopped;
});

/** An api that stops while a connection waits for its design, until `whileStopping` is done. Resolves when the stop goes on. */
async function stopDuringDesign(
  whileStopping: (connection: RawConnection, head: (line: string) => string) => Promise<void> | void,
): Promise<{ connection: RawConnection; stopped: Promise<void> }> {
  const { keyId, secret } = await stack.issueKey();
  const api = await ApiProcess.start({ ...stack.config, drainSecs: 0 });
  const connection = await RawConnection.to(api.url);
  const head = (line: string) => `${line} HTTP/1.1\r\nhost: greenroom\r\nxi-api-key: ${secret}\r\n`;
  const body = JSON.stringify(designBody());
  return stack.whileLocked('preview', async () => {
    connection.send(
      `${head('POST /v1/text-to-voice/design')}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await eventually(async () => expect(await creditsUsed(stack, keyId)).toBeGreaterThan(0));
    const stopped = api.stop();
    await eventually(async () =>
      expect(await fetch(`${api.url}/livez`).catch(() => 'closed')).toBe('closed'),
    );
    expect(connection.statuses).toEqual([]);
    await whileStopping(connection, head);
    return { connection, stopped };
  });
}

it('a request on a connection that is in use when the api stops is served, and is the last of its connection', async () => {
  const { connection, stopped } = await stopDuringDesign((used, head) =>
    used.send(`${head('GET /v1/user')}\r\n`),
  );
  await stopped;
  await eventually(() => expect(connection.isClosed).toBe(true));
  expect(connection.statuses).toEqual([200, 200]);
  expect(connection.received).toMatch(/connection: close\r\n[^]*"user_id":/i);
});

it('a connection whose response was under way when the api stops does not keep it from ending', async () => {
  const { connection, stopped } = await stopDuringDesign(() => undefined);
  const startedAt = performance.now();
  await stopped;
  expect(performance.now() - startedAt).toBeLessThan(30_000);
  expect(connection.statuses).toEqual([200]);
  expect(connection.received).toMatch(/connection: close\r\n/i);
});

it('several processes share a port: metrics, receipts and the end of an api know of all, and one that dies is replaced', async () => {
  const metricsPort = await freePort();
  const api = await ApiProcess.start(stack.config, { processes: 2, metricsPort });
  const { keyId, secret } = await stack.issueKey();
  // A connection of its own for each request: connections are what the processes are handed in turn.
  const ask = async () => {
    const headers = { 'xi-api-key': secret, connection: 'close' };
    return (await fetch(`${api.url}/v1/models`, { headers })).status;
  };
  const served = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(text.match(/^# TYPE greenroom_http_requests_total /gm)).toHaveLength(1);
    const counts = text.matchAll(/^greenroom_http_requests_total\{process="(\d+)".*models".*\} (\d+)$/gm);
    return new Map([...counts].map(([, name, count]) => [Number(name), Number(count)]));
  };
  for (let i = 0; i < 6; i += 1) expect(await ask()).toBe(200);
  await eventually(async () =>
    expect(await served()).toEqual(
      new Map([
        [1, 3],
        [2, 3],
      ]),
    ),
  );

  const manager = await StaffClient.signedIn(stack, 'account_manager');
  const disabled = await manager.post(
    `/admin/api-keys/${keyId}/disable`,
    { reason: 'A test', disable_reason: 'security_incident' },
    { 'if-match': '*' },
  );
  // The api of the stack is the third.
  expect(disabled.body.receipt).toMatchObject({ processes: 3, acknowledged: 3 });
  expect(await Promise.all([ask(), ask(), ask(), ask()])).toEqual([401, 401, 401, 401]);

  const [killed] = api.childPids as [number];
  process.kill(killed, 'SIGKILL');
  await eventually(() => {
    expect(api.childPids).toHaveLength(2);
    expect(api.childPids).not.toContain(killed);
  });
  await eventually(async () => {
    expect(await Promise.all([ask(), ask()])).toEqual([401, 401]);
    expect([...(await served()).keys()]).toContain(3);
  });

  const stopped = api.stop();
  await eventually(async () => expect((await fetch(`${api.url}/readyz`)).status).toBe(503));
  const children = api.childPids;
  await stopped;
  expect(children.filter(isAlive)).toEqual([]);
  await expect(fetch(`${api.url}/readyz`)).rejects.toThrow();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
