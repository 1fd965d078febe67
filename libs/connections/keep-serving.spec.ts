import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keepServing } from './keep-serving';

let server: Server;

beforeEach(() => {
  server = createServer((_, response) => response.end('here'));
  keepServing(server);
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

it('a server that could not accept a connection serves the next one', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.emit('error', new Error('accept EMFILE'));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await response.text()).toBe('here');
});

it('a server that cannot listen says so to its caller', async () => {
  server.listen(1, '203.0.113.1');
  await expect(once(server, 'listening')).rejects.toThrow(/EACCES|EADDRNOTAVAIL/);
});
