import { compileTrustedProxies } from '@app/domain/addresses/client-address';
import { ownOrigin, refuseInClear } from './own-origin';

const { trusted } = compileTrustedProxies(['10.0.0.0/8']);

function originOf(headers: Record<string, string>, peer = '10.0.0.7', publicUrl?: string): string {
  const request = { headers, protocol: 'http' as const, host: headers.host ?? '' };
  return ownOrigin(
    { ...request, raw: { socket: { remoteAddress: peer } } },
    { publicUrl, trustedProxies: trusted },
  );
}

const host = 'inner:3000';
const forwarded = { host, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'greenroom.example.com' };

describe('the origin that a client has reached', () => {
  it.each([
    [
      'PUBLIC_URL, whatever else is said',
      forwarded,
      '10.0.0.7',
      'https://set.example',
      'https://set.example',
    ],
    ['what a trusted proxy says', forwarded, '10.0.0.7', undefined, 'https://greenroom.example.com'],
    [
      'the scheme alone',
      { host, 'x-forwarded-proto': 'HTTPS' },
      '::ffff:10.0.0.7',
      undefined,
      'https://inner:3000',
    ],
    ['nothing of a peer that is not trusted', forwarded, '192.0.2.1', undefined, 'http://inner:3000'],
    ['the request', { host }, '192.0.2.1', undefined, 'http://inner:3000'],
    [
      'what the nearest proxy has written',
      { host, 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'evil.example, real.example' },
      '10.0.0.7',
      undefined,
      'http://real.example',
    ],
    [
      'no rubbish',
      { host, 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'x@evil.example/path' },
      '10.0.0.7',
      undefined,
      'http://inner:3000',
    ],
  ])('is %s', (_, headers, peer, publicUrl, expected) => {
    expect(originOf(headers, peer, publicUrl)).toBe(expected);
  });
});

describe('a sign-in without TLS', () => {
  const from = (remoteAddress: string, origin = 'http://greenroom.lan') =>
    refuseInClear({ ownOrigin: origin, raw: { socket: { remoteAddress } } });

  it.each(['127.0.0.1', '::1', '192.168.1.9', '::ffff:10.1.2.3', '172.17.0.1', 'fe80::1', 'fd12::1'])(
    'is accepted from %s',
    (address) => {
      expect(() => from(address)).not.toThrow();
    },
  );

  it.each(['203.0.113.9', '8.8.8.8', '::ffff:8.8.8.8', '2a00::1'])('is refused from %s', (address) => {
    expect(() => from(address)).toThrow(/set PUBLIC_URL to its https:\/\/ address/);
    expect(() => from(address, 'https://greenroom.example.com')).not.toThrow();
  });
});
