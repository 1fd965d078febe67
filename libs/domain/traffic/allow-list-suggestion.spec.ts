import * as fc from 'fast-check';
import { compileAllowList, matchAllowList, parseAllowList } from '../allow-lists/allow-list';
import { suggestAllowList } from './allow-list-suggestion';
import type { AddressUse } from './traffic';
import { formatIpAddress, fromWords, ipv4 } from '../addresses/ip-address';

const use = (address: string, requests = 1): AddressUse => ({
  address,
  requests,
  firstAt: new Date(requests),
  lastAt: new Date(1_000 + requests),
});

const cidrsFor = (...addresses: string[]) =>
  suggestAllowList(addresses.map((address) => use(address))).entries.map(({ cidr }) => cidr);

describe('a suggestion', () => {
  it.each([
    [['203.0.113.7'], ['203.0.113.7/32']],
    [['203.0.113.4', '203.0.113.7'], ['203.0.113.4/30']],
    [['203.0.113.0', '203.0.113.255'], ['203.0.113.0/24']],
    [
      ['203.0.112.255', '203.0.113.0'],
      ['203.0.112.255/32', '203.0.113.0/32'],
    ],
    [['2001:db8::1'], ['2001:db8::/64']],
    [['2001:db8::1', '2001:db8:0:0:ffff::'], ['2001:db8::/64']],
    [['unknown', 'other'], []],
    [[], []],
  ])('%j is %j', (addresses, expected) => {
    expect(cidrsFor(...addresses)).toEqual(expected);
  });

  it('says how many requests came from each block, and when', () => {
    const { entries, requests, covered } = suggestAllowList([
      use('203.0.113.4', 2),
      use('203.0.113.5', 3),
      use('198.51.100.1', 9),
      use('other', 6),
    ]);
    expect([requests, covered]).toEqual([20, 14]);
    expect(entries).toEqual([
      { cidr: '198.51.100.1/32', addresses: 1, requests: 9, firstAt: new Date(9), lastAt: new Date(1_009) },
      { cidr: '203.0.113.4/31', addresses: 2, requests: 5, firstAt: new Date(2), lastAt: new Date(1_003) },
    ]);
  });

  it('has at most a hundred entries, those with the most requests', () => {
    const uses = Array.from({ length: 150 }, (_, i) =>
      use(formatIpAddress(ipv4(i * 0x10000 + 0x0a000001)), i + 1),
    );
    const { entries, covered, requests } = suggestAllowList(uses);
    expect(entries).toHaveLength(100);
    expect(requests - covered).toBe((50 * 51) / 2);
  });

  it('is accepted as it is, and lets in every address it was derived from', () => {
    const word = fc.nat({ max: 0xffffffff });
    const address = fc.oneof(
      fc
        .constantFrom(0x0a000000, 0x0a000100, 0xcb007100)
        .chain((base) => fc.nat({ max: 255 }).map((n) => ipv4(base + n))),
      fc.tuple(word, word).map(([w2, w3]) => fromWords(0x20010db8, 0, w2, w3)),
    );
    fc.assert(
      fc.property(fc.array(address, { minLength: 1, maxLength: 60 }), (addresses) => {
        const cidrs = cidrsFor(...addresses.map(formatIpAddress));
        expect(parseAllowList(cidrs)).toMatchObject({ problems: [], corrections: [] });
        const list = compileAllowList(cidrs);
        for (const each of addresses) expect(matchAllowList(list, each, 0)).toBe(true);
      }),
    );
  });
});
