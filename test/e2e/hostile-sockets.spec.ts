import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { eventually } from '../support/eventually';
import { makeVoice, type VoiceOwner } from '../support/previews';
import { RawConnection } from '../support/raw-connection';
import { SpeechSocketClient } from '../support/speech-socket';
import { Stack } from '../support/stack';

const stack = Stack.ofFile({ worker: false });

/** Of the first byte of a frame (RFC 6455, 5.2). */
const [TEXT, TEXT_BEGINS, TEXT_ENDS, CONTINUES, PING] = [0x81, 0x01, 0x80, 0x00, 0x89];
const REFUSED_WITHIN_MS = 1_000;
const STRANGERS = '127.0.0.71';

/** An account of its own: what one has spent is refused for ten seconds. */
async function ownerOf(): Promise<VoiceOwner> {
  const key = await stack.issueKey({ tier: 'pro' });
  return { ...key, voiceId: (await makeVoice(stack, key.secret)).voiceId };
}

const pathOf = ({ voiceId }: VoiceOwner) =>
  `/v1/text-to-speech/${voiceId}/stream-input?model_id=eleven_flash_v2_5&inactivity_timeout=180`;

const open = (owner: VoiceOwner) =>
  SpeechSocketClient.open(`${stack.baseUrl}${pathOf(owner)}`, { 'xi-api-key': owner.secret });

/** A frame with a mask of zeros, of `length` bytes although fewer may follow. */
function frame(first: number, payload = '', length = payload.length): string {
  const size = length < 126 ? Buffer.of(0x80 | length) : Buffer.alloc(9, 0xff);
  if (length >= 126) size.writeBigUInt64BE(BigInt(length), 1);
  return Buffer.concat([Buffer.of(first), size, Buffer.alloc(4), Buffer.from(payload)]).toString('latin1');
}

/** A socket on which any frame can be sent, with a key or without. */
async function raw(owner: VoiceOwner, { secret = '', from = STRANGERS } = {}): Promise<RawConnection> {
  const client = await RawConnection.to(stack.baseUrl, from);
  const headers = [
    `GET ${pathOf(owner)} HTTP/1.1`,
    'Host: here',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...(secret ? [`xi-api-key: ${secret}`] : []),
  ];
  client.send(`${headers.join('\r\n')}\r\n\r\n`);
  await eventually(() => Promise.resolve(expect(client.statuses).toHaveLength(1)));
  return client;
}

const refusedWith = (client: RawConnection, code: string) =>
  eventually(() => Promise.resolve(expect(client.received).toContain(code)));

/** Refused clients do not have to answer. */
async function goneSoon(client: RawConnection, code: string): Promise<void> {
  await refusedWith(client, code);
  const startedAtMs = performance.now();
  await eventually(() => Promise.resolve(expect(client.isClosed).toBe(true)));
  expect(performance.now() - startedAtMs).toBeLessThan(2 * REFUSED_WITHIN_MS);
}

it('text that cannot be spoken leaves the socket, and is not split again by each message', async () => {
  const owner = await ownerOf();
  const socket = await open(owner);
  const spy = jest.spyOn(Intl.Segmenter.prototype, 'segment');
  for (let count = 0; count < 13; count += 1) socket.send({ text: (count % 2 ? '"' : '‹').repeat(3_000) });
  for (let count = 0; count < 200; count += 1) socket.send({});
  socket.send({ text: '' });
  expect(await socket.closed).toEqual({ code: 1_000, reason: '' });
  const characters = spy.mock.calls.reduce((sum, [input]) => sum + input.length, 0);
  spy.mockRestore();
  expect(characters).toBeLessThan(20 * 39_000);
});

it.each<[string, string]>([
  ['messages', frame(TEXT, '{}')],
  ['pings', frame(PING)],
  ['empty continuations', frame(TEXT_BEGINS, '{') + frame(CONTINUES).repeat(99) + frame(TEXT_ENDS, '}')],
])('%s of an account are refused with words when there are too many', async (_name, frames) => {
  const owner = await ownerOf();
  const client = await raw(owner, owner);
  const flood = setInterval(() => client.send(frames.repeat(1_000)), 20);
  await refusedWith(client, '"too_many_messages"').finally(() => clearInterval(flood));
  await goneSoon(client, '"too_many_messages"');
});

it('strangers have 64 kB, 2 MB a network, and time until they have said who they are', async () => {
  const owner = await ownerOf();
  const large = await raw(owner);
  large.send(frame(TEXT, 'x'.repeat(70_000), 1_000_000));
  await goneSoon(large, '"first_message_too_large"');
  const silent = await raw(owner);
  const many = await Promise.all(Array.from({ length: 60 }, () => raw(owner)));
  for (const client of many) client.send(frame(TEXT, 'x'.repeat(60_000), 64_000));
  await eventually(() => {
    const refused = many.filter(({ received }) => received.includes('"too_many_large_bodies"'));
    return Promise.resolve(expect(refused.length).toBeGreaterThan(20));
  });
  await goneSoon(silent, '"missing_api_key"');
});

it('one network without a credential does not take the place of others, nor of clients with one', async () => {
  const owner = await ownerOf();
  const strangers = await Promise.all(Array.from({ length: 101 }, () => raw(owner)));
  const statuses = strangers.flatMap(({ statuses: [status] }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  expect(strangers.find(({ statuses: [status] }) => status === 429)!.received).toContain(
    `${STRANGERS}, without a credential, has 100 speech sockets open`,
  );
  const page = await SpeechSocketClient.open(`${stack.baseUrl}${pathOf(owner)}`);
  page.send({ text: ' ', xi_api_key: owner.secret }, { text: '' });
  expect((await page.closed).code).toBe(1_000);
  const known = await raw(owner, owner);
  expect(known.statuses).toEqual([101]);
  for (const client of [...strangers, known]) client.close();
  await eventually(async () => {
    const again = await raw(owner);
    expect(again.statuses).toEqual([101]);
    again.close();
  });
});

it('a handshake that is one too many is refused in a moment, and makes no request', async () => {
  const owner = await ownerOf();
  const from = '127.0.0.73';
  const held = await Promise.all(Array.from({ length: 100 }, () => raw(owner, { from })));
  const requests = jest.fn();
  const server = (stack.api.getHttpServer() as Server).on('request', requests);
  const startedAtMs = performance.now();
  const refused = await Promise.all(Array.from({ length: 20 }, () => raw(owner, { from })));
  // Those that come back at once would otherwise have the whole event loop.
  expect(performance.now() - startedAtMs).toBeGreaterThan(500);
  for (const { received } of refused) expect(received).toMatch(/^HTTP\/1.1 429 [^]*"too_many_sockets"/);
  expect(requests).not.toHaveBeenCalled();
  server.off('request', requests);
  for (const client of [...held, ...refused]) client.close();
});

it('unfinished messages of an account share the memory that its bodies have', async () => {
  const owner = await ownerOf();
  const clients = await Promise.all(Array.from({ length: 12 }, () => raw(owner, owner)));
  for (const client of clients) client.send(frame(TEXT, 'x'.repeat(1_000_000), 1_000_001));
  await eventually(() => {
    const refused = clients.filter(({ received }) => received.includes('"too_many_large_bodies"'));
    return Promise.resolve(expect(refused.length).toBeGreaterThanOrEqual(4));
  });
  const left = clients.filter(({ received }) => !received.includes('"too_many_large_bodies"'));
  expect(left.length).toBeGreaterThanOrEqual(7);
  const refused = clients.filter((client) => !left.includes(client));
  await Promise.all(refused.map((client) => goneSoon(client, '"too_many_large_bodies"')));
  for (const client of clients) client.close();
});

it('a handshake that is malformed keeps no place, nor does one whose client has left', async () => {
  const owner = await ownerOf();
  for (let count = 0; count < 210; count += 1) {
    const client = await RawConnection.to(stack.baseUrl, '127.0.0.72');
    const bad = count % 2 ? 'Sec-WebSocket-Key: short' : `Sec-WebSocket-Key: ${'A'.repeat(22)}==`;
    client.send(
      `GET ${pathOf(owner)} HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n${bad}\r\nxi-api-key: ${owner.secret}\r\n\r\n`,
    );
    client.close();
  }
  await eventually(async () => {
    const socket = await open(owner);
    socket.webSocket.terminate();
  });
});
