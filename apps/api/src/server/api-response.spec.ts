import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headerLines, responsesWith } from './api-response';

const COMMON = { 'cache-control': 'private, no-store', vary: 'origin' };
let server: Server | undefined;

afterEach(() => server?.close());

/** The response of a server whose requests `handle` responds to. */
async function respond(handle: RequestListener): Promise<Response> {
  server = createServer({ ServerResponse: responsesWith(COMMON) }, handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

it('sends the request id, the common headers and checked lines with those of the response', async () => {
  const { headers } = await respond((request, response) => {
    request.requestId = 'abc';
    response.checkedLines += headerLines({ ratelimit: '"key";r=1;t=2' });
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
  });
  expect(Object.fromEntries(headers)).toMatchObject({
    ...COMMON,
    'x-request-id': 'abc',
    ratelimit: '"key";r=1;t=2',
    'content-type': 'text/plain',
  });
});

it.each<[string, RequestListener]>([
  ['written at once', (_, response) => response.writeHead(200, { 'cache-control': 'public' }).end()],
  ['set before', (_, response) => response.setHeader('Cache-Control', 'public').end()],
])('leaves a header of its own to a response: %s', async (_, handle) => {
  const { headers } = await respond(handle);
  // A header that was sent twice would have both values.
  expect(headers.get('cache-control')).toBe('public');
  expect(headers.get('vary')).toBe('origin');
});

it('has the common headers without any of its own, and without a body', async () => {
  const { headers, status } = await respond((_, response) => response.writeHead(304).end());
  expect(status).toBe(304);
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect(headers.has('x-request-id')).toBe(false);
});

it.each(['{"name":"Anna"}', '{"name":"Jürgen 🎙"}', 'Grün'])('sends a text as it is: %s', async (text) => {
  const response = await respond((_, response) =>
    response.writeHead(200, { 'content-length': String(Buffer.byteLength(text)) }).end(text),
  );
  expect(await response.text()).toBe(text);
});

it('sends a text that was given in another encoding as it was given', async () => {
  const response = await respond((_, response) => {
    response.writeHead(200, { 'content-length': '3' });
    response.end('Z3LD', 'base64');
  });
  expect(Buffer.from(await response.arrayBuffer()).toString('hex')).toBe('6772c3');
});

it('refuses values that would begin another header', () => {
  expect(() => headerLines({ vary: 'a\r\nset-cookie: b' })).toThrow('Invalid character');
  expect(() => headerLines({ 'vary: a\r\nb': 'c' })).toThrow('valid HTTP token');
});
