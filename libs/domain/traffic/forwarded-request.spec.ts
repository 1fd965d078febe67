import { readForwardedRequest } from './forwarded-request';

const read = (headers: Record<string, string>, suffix = '', method = 'GET') =>
  readForwardedRequest({ method, headers, suffix });

const SPEECH = { ok: true, value: { method: 'POST', host: null, path: '/v1/speech' } };

it.each<[string, ReturnType<typeof read>]>([
  ['nginx', read({ 'x-original-uri': '/v1/speech?a=1', 'x-original-method': 'POST' })],
  ['Caddy and Traefik', read({ 'x-forwarded-uri': '/v1/speech', 'x-forwarded-method': 'POST' })],
  [
    'Caddy, which keeps the query',
    read({ 'x-forwarded-uri': '/v1/speech', 'x-forwarded-method': 'POST' }, '?a=1'),
  ],
  ['Envoy', read({}, '/v1/speech?a=%2F', 'POST')],
])('reads what %s sends', (_, found) => {
  expect(found).toEqual(SPEECH);
});

it('decodes a path, and reads a host without its port and in lower case', () => {
  const headers = { 'x-forwarded-uri': '/%73peech/a%20b', 'x-forwarded-method': 'GET' };
  expect(read({ ...headers, 'x-forwarded-host': 'API.Example.com:8443' })).toEqual({
    ok: true,
    value: { method: 'GET', host: 'api.example.com', path: '/speech/a b' },
  });
});

it('refuses a request without a path, and one that gives it twice', () => {
  expect(read({})).toMatchObject({ ok: false, reason: expect.stringContaining('x-forwarded-uri') });
  const twice = { 'x-original-uri': '/a', 'x-forwarded-uri': '/b', 'x-forwarded-method': 'GET' };
  expect(read(twice)).toMatchObject({ ok: false, reason: expect.stringContaining('more than one way') });
  expect(read({ 'x-original-uri': '/a', 'x-original-method': 'GET' }, '/a').ok).toBe(false);
});

it.each([
  '',
  'speech',
  'http://inside/speech',
  '/free/../speech',
  '/free/%2e%2E/speech',
  '/free/%2e',
  '//speech',
  '/free//speech',
  '/free%2Fspeech',
  '/free%5cspeech',
  '/free%252fspeech',
  '/free\\speech',
  '/speech;x',
  '/speech%3bx',
  '/speech#x',
  '/speech x',
  '/speech%00',
  '/speech%0d',
  '/speech%ff',
  '/speech%',
  // Two lines of the header, as Node joins them.
  '/free, /speech',
])('refuses a path that servers read differently: %j', (uri) => {
  const found = read({ 'x-forwarded-uri': uri, 'x-forwarded-method': 'GET' });
  expect(found).toMatchObject({ ok: false, reason: expect.stringMatching(/path/) });
});

it.each([
  [{ 'x-forwarded-uri': '/a' }, 'x-forwarded-method is missing'],
  [{ 'x-forwarded-uri': '/a', 'x-forwarded-method': 'GET, POST' }, 'GET, POST'],
  [{ 'x-forwarded-uri': '/a', 'x-forwarded-method': 'get' }, 'get'],
  [{ 'x-forwarded-uri': '/a', 'x-forwarded-method': 'GET', 'x-forwarded-host': 'a, b' }, 'x-forwarded-host'],
])('refuses %j by name', (headers, named) => {
  expect(read(headers)).toMatchObject({ ok: false, reason: expect.stringContaining(named) });
});
