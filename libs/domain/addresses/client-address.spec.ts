import * as fc from 'fast-check';
import { clientAddress, compileTrustedProxies, networkOf } from './client-address';
import { formatIpAddress, parseIpAddress } from './ip-address';

const PROXY = '10.0.0.7';
const { trusted } = compileTrustedProxies(['10.0.0.0/8', '2001:db8:1::/48']);
const nobody = compileTrustedProxies([]).trusted;

function client(peer: string | undefined, header?: string | string[], proxies = trusted): string {
  const result = clientAddress(peer, header, proxies);
  return result.address ? formatIpAddress(result.address) : result.reason;
}

describe('the client address', () => {
  it.each([
    ['the peer, when no proxy is trusted', '203.0.113.9', '6.6.6.6', nobody, '203.0.113.9'],
    ['the peer, when it is not trusted', '203.0.113.9', '6.6.6.6', trusted, '203.0.113.9'],
    ['the peer, when a trusted one sends no header', PROXY, undefined, trusted, PROXY],
    ['the peer, when a trusted one sends an empty header', PROXY, ' ', trusted, PROXY],
    ['what the proxy wrote', PROXY, '203.0.113.9', trusted, '203.0.113.9'],
    ['what the proxy wrote, not what the client did', PROXY, '6.6.6.6, 203.0.113.9', trusted, '203.0.113.9'],
    ['before a chain of proxies', PROXY, '6.6.6.6, 203.0.113.9, 10.1.1.1,10.2.2.2', trusted, '203.0.113.9'],
    ['the leftmost, when all are trusted', PROXY, '10.9.9.9, 10.1.1.1', trusted, '10.9.9.9'],
    ['not spoiled by junk left of it', PROXY, 'garbage, , 203.0.113.9', trusted, '203.0.113.9'],
    [
      'in the last of several header lines',
      PROXY,
      ['6.6.6.6', '203.0.113.9, 10.1.1.1'],
      trusted,
      '203.0.113.9',
    ],
    ['IPv6', PROXY, '2001:DB8::9', trusted, '2001:db8::9'],
    ['IPv6 behind an IPv6 proxy', '2001:db8:1::5', '2001:db8::9, 2001:db8:1::6', trusted, '2001:db8::9'],
    ['IPv4 with a port', PROXY, '6.6.6.6, 203.0.113.9:5555', trusted, '203.0.113.9'],
    ['IPv6 in brackets with a port', PROXY, '[2001:db8::9]:443', trusted, '2001:db8::9'],
    ['IPv6 in brackets', PROXY, '[2001:DB8::9]', trusted, '2001:db8::9'],
    [
      'past a proxy with a port',
      PROXY,
      '203.0.113.9:1, 10.1.1.1:2, [2001:db8:1::5]:3',
      trusted,
      '203.0.113.9',
    ],
    ['of an IPv4-mapped peer', '::ffff:203.0.113.9', undefined, trusted, '203.0.113.9'],
    ['behind an IPv4-mapped proxy', '::ffff:10.0.0.7', '::ffff:203.0.113.9', trusted, '203.0.113.9'],
    ['past an IPv4-mapped hop', PROXY, '203.0.113.9, ::ffff:10.1.1.1', trusted, '203.0.113.9'],
  ])('is %s', (_, peer, header, proxies, expected) => expect(client(peer, header, proxies)).toBe(expected));

  it.each([
    ['a Unix socket', undefined, undefined, 'no_peer'],
    ['a Unix socket with a header', undefined, '203.0.113.9', 'no_peer'],
    ['an empty peer', '', '203.0.113.9', 'no_peer'],
    ['a peer with a zone', 'fe80::1%eth0', undefined, 'unparsable'],
    ['junk', PROXY, 'garbage', 'unparsable'],
    ['"unknown"', PROXY, '203.0.113.9, unknown', 'unparsable'],
    ['an address with a port that is none', PROXY, '203.0.113.9:65536', 'unparsable'],
    ['an address with an empty port', PROXY, '203.0.113.9:', 'unparsable'],
    ['an IPv4 address in brackets', PROXY, '[203.0.113.9]:443', 'unparsable'],
    ['brackets that do not end', PROXY, '[2001:db8::9:443', 'unparsable'],
    ['brackets with an empty port', PROXY, '[2001:db8::9]:', 'unparsable'],
    ['brackets with more behind them', PROXY, '[2001:db8::9]443', 'unparsable'],
    ['empty brackets', PROXY, '[]:443', 'unparsable'],
    ['leading zeros', PROXY, '203.0.113.009', 'unparsable'],
    ['junk behind trusted hops', PROXY, '6.6.6.6, garbage, 10.1.1.1', 'unparsable'],
    ['an empty hop', PROXY, '6.6.6.6, ', 'unparsable'],
    ['an empty hop between', PROXY, '6.6.6.6, , 10.1.1.1', 'unparsable'],
    ['only a comma', PROXY, ',', 'unparsable'],
    ['an empty hop before trusted ones', PROXY, ',10.1.1.1', 'unparsable'],
  ])('is not known for %s', (_, peer, header, reason) => expect(client(peer, header)).toBe(reason));

  it('cannot be chosen by the client, whatever it sends through a proxy', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (spoof, ownLine) => {
        const header = ownLine ? [spoof, '203.0.113.9'] : `${spoof}, 203.0.113.9`;
        expect(client(PROXY, header)).toBe('203.0.113.9');
      }),
    );
  });

  it('cannot be chosen by a client that is not a proxy', () => {
    fc.assert(fc.property(fc.string(), (spoof) => expect(client('203.0.113.9', spoof)).toBe('203.0.113.9')));
  });

  it('comes with the text that is not an address, cut for the log', () => {
    expect(clientAddress(PROXY, 'x'.repeat(10_000), trusted)).toEqual({
      address: null,
      reason: 'unparsable',
      input: `${'x'.repeat(63)}…`,
    });
  });
});

describe('trusted proxies', () => {
  it.each([
    'true',
    '1',
    '2',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.5/8',
    'loopback',
    'proxy.internal',
    '010.0.0.0/8',
    '',
  ])('refuse %j, and trust no proxy then', (entry) => {
    const { trusted: proxies, problems } = compileTrustedProxies(['10.0.0.0/8', entry]);
    expect(problems).toMatchObject([{ index: 1, given: entry }]);
    expect(client(PROXY, '6.6.6.6', proxies)).toBe(PROXY);
  });
});

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['nothing', 'an unknown address'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(parseIpAddress(address))).toBe(network);
});
