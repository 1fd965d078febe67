import { compileTrustedProxies } from '@app/domain/addresses/client-address';
import { formatIpAddress } from '@app/domain/addresses/ip-address';
import type { FastifyRequest } from 'fastify';
import { Socket } from 'node:net';
import { clientOf } from './client-of';

const trustedProxies = compileTrustedProxies(['192.0.2.1']).trusted;

/** A connection from an address, and where a request on it comes from. */
function connection(remoteAddress: string | undefined) {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  return (forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return clientOf({ raw: { socket }, headers } as unknown as FastifyRequest, { trustedProxies });
  };
}

it('reads the address of a connection once', () => {
  const ask = connection('198.51.100.7');
  const first = ask();
  expect(formatIpAddress(first!)).toBe('198.51.100.7');
  expect(ask()).toBe(first);
});

it('reads what a proxy says for every request, also between requests of its own', () => {
  const ask = connection('192.0.2.1');
  const texts = [undefined, '203.0.113.1', '203.0.113.2', undefined].map((each) =>
    formatIpAddress(ask(each)!),
  );
  expect(texts).toEqual(['192.0.2.1', '203.0.113.1', '203.0.113.2', '192.0.2.1']);
});

it('does not know the address of a connection without one', () => {
  expect(connection(undefined)()).toBeNull();
});
