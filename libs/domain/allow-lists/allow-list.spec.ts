import { BlockList } from 'node:net';
import * as fc from 'fast-check';
import { addsNothing, compileAllowList, matchAllowList, parseAllowList, type InputEntry } from './allow-list';
import { cidrAround, coversCidr, formatCidr, type Cidr } from '../addresses/cidr';
import { formatIpAddress, fromWords, ipv4, parseIpAddress, type IpAddress } from '../addresses/ip-address';
import { compileTrustedProxies } from '../addresses/client-address';

const problemsOf = (...entries: string[]) =>
  parseAllowList(entries).problems.map(({ code, suggestion }) => [code, suggestion]);

const word = fc.nat({ max: 0xffffffff });
// Few different words, so that blocks meet each other; 2001:db8::/32 keeps clear of the mapped and translated ranges.
const crowdedWord = fc.oneof(fc.constantFrom(0, 0x0a000000, 0x0a010000, 0xffffffff), word);
const v4Address = crowdedWord.map(ipv4);
const v6Address = fc
  .tuple(crowdedWord, crowdedWord, crowdedWord)
  .map(([w1, w2, w3]) => fromWords(0x20010db8, w1, w2, w3));
const v4Cidr = fc
  .tuple(v4Address, fc.integer({ min: 2, max: 32 }))
  .map(([address, p]) => cidrAround(address, p));
const v6Cidr = fc
  .tuple(v6Address, fc.integer({ min: 8, max: 128 }))
  .map(([address, p]) => cidrAround(address, p));
const lists = fc.array(fc.oneof(v4Cidr, v6Cidr), { minLength: 1, maxLength: 40 });

/** A list, and an address that is likely to be at the edge of one of its blocks. */
const listAndAddress = lists.chain((cidrs) =>
  fc.tuple(fc.constant(cidrs), fc.oneof(v4Address, v6Address, ...cidrs.map((cidr) => nearEdge(cidr)))),
);

function nearEdge({ first, last }: Cidr): fc.Arbitrary<IpAddress> {
  return fc.constantFrom(first, last, shifted(first, -1), shifted(last, 1));
}

function shifted({ family, w0, w1, w2, w3 }: IpAddress, by: number): IpAddress {
  const lowest = (w3 + by + 2 ** 32) % 2 ** 32;
  return family === 4 ? ipv4(lowest) : fromWords(w0, w1, w2, lowest);
}

function valueOf({ w0, w1, w2, w3 }: IpAddress): bigint {
  return [w0, w1, w2, w3].reduce((sum, part) => sum * 2n ** 32n + BigInt(part), 0n);
}

/** The plain definition of a match: same family, and the fixed bits are the same. */
function naiveMatch(cidrs: readonly Cidr[], address: IpAddress): boolean {
  return cidrs.some(({ family, prefix, first }) => {
    const hostBits = BigInt((family === 4 ? 32 : 128) - prefix);
    return family === address.family && valueOf(first) >> hostBits === valueOf(address) >> hostBits;
  });
}

describe('matching an address against a list', () => {
  it('agrees with the plain definition on whole numbers', () => {
    fc.assert(
      fc.property(listAndAddress, ([cidrs, address]) => {
        const compiled = compileAllowList(cidrs.map(formatCidr));
        expect(matchAllowList(compiled, address, 0)).toBe(naiveMatch(cidrs, address));
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with net.BlockList', () => {
    fc.assert(
      fc.property(listAndAddress, ([cidrs, address]) => {
        const blockList = new BlockList();
        for (const { family, first, prefix } of cidrs) {
          blockList.addSubnet(formatIpAddress(first), prefix, family === 4 ? 'ipv4' : 'ipv6');
        }
        const system = blockList.check(formatIpAddress(address), address.family === 4 ? 'ipv4' : 'ipv6');
        expect(matchAllowList(compileAllowList(cidrs.map(formatCidr)), address, 0)).toBe(system);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '9.255.255.255', false],
    ['255.255.255.255', '255.255.255.255', true],
    ['128.0.0.0/2', '192.0.0.0', false],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['2001:db8::/32', '2001:db9::', false],
    ['::/64', '10.1.2.3', false],
    ['10.0.0.0/8', '::10.1.2.3', false],
  ])('with %s, %s is let in: %s', (entry, text, expected) => {
    const address = parseIpAddress(text);
    expect(address && matchAllowList(compileAllowList([entry]), address, 0)).toBe(expected);
  });
});

describe('a stored list that cannot be used', () => {
  const valid = '0.0.0.0/1';
  it.each([
    ['null', null],
    ['no list', '10.0.0.0/8'],
    ['an object', { 0: valid, length: 1 }],
    ['empty', []],
    ['with an entry of another type', [valid, 7]],
    ['with a null', [valid, null]],
    ['with junk', [valid, 'garbage']],
    ['with host bits', [valid, '10.0.0.5/8']],
    ['with everything', [valid, '0.0.0.0/0']],
    ['with an address that programs read differently', [valid, '010.0.0.1']],
  ])('(%s) lets no address in and says why', (_, stored) => {
    const compiled = compileAllowList(stored);
    expect(compiled.corrupt).toEqual(expect.any(String));
    for (const value of [0, 1, 0x0a000001]) expect(matchAllowList(compiled, ipv4(value), 0)).toBe(false);
  });
});

describe('saving a list', () => {
  it('keeps the set of addresses that are let in', () => {
    fc.assert(
      fc.property(listAndAddress, ([cidrs, address]) => {
        const parsed = parseAllowList(cidrs.map(formatCidr));
        fc.pre(parsed.problems.length === 0);
        const stored = parsed.entries.map(({ cidr }) => cidr);
        expect(naiveMatch(stored, address)).toBe(naiveMatch(cidrs, address));
        expect(parsed.canonical).toEqual(stored.map(formatCidr));
      }),
      { numRuns: 1000 },
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(lists, (cidrs) => {
        const once = parseAllowList(cidrs.map(formatCidr));
        fc.pre(once.problems.length === 0);
        expect(parseAllowList(once.canonical)).toMatchObject({ canonical: once.canonical, corrections: [] });
      }),
    );
  });

  it('does not depend on the order of the entries', () => {
    fc.assert(
      fc.property(lists, (cidrs) => {
        const texts = cidrs.map(formatCidr);
        expect(parseAllowList(texts.toReversed()).canonical).toEqual(parseAllowList(texts).canonical);
      }),
    );
  });

  it('explains every entry that is not stored as it was given', () => {
    fc.assert(
      fc.property(lists, (cidrs) => {
        const texts = cidrs.map(formatCidr);
        const { canonical, corrections, problems } = parseAllowList(texts);
        fc.pre(problems.length === 0);
        expect(canonical.length + corrections.length).toBe(texts.length);
      }),
    );
  });

  it('reports for each correction which entry, what kind and what is stored', () => {
    const input = [
      '10.1.0.0/16',
      ' 192.0.2.0/24',
      '10.0.0.0/8',
      '2001:DB8::/32',
      '::ffff:192.0.2.9',
      '203.0.113.7',
      '10.0.0.0/8',
    ];
    const { canonical, corrections } = parseAllowList(input);
    expect(canonical).toEqual(['10.0.0.0/8', '192.0.2.0/24', '203.0.113.7/32', '2001:db8::/32']);
    expect(corrections.map(({ index, code, suggestion }) => [index, code, suggestion])).toEqual([
      [1, 'rewritten', '192.0.2.0/24'],
      [3, 'rewritten', '2001:db8::/32'],
      [4, 'ipv4_mapped', '192.0.2.9/32'],
      [5, 'single_address', '203.0.113.7/32'],
      [0, 'covered', '10.0.0.0/8'],
      [4, 'covered', '192.0.2.0/24'],
      [6, 'duplicate', '10.0.0.0/8'],
    ]);
  });

  it('leaves neighbouring blocks apart, so that each keeps its name', () => {
    const halves = ['10.0.0.0/9', '10.128.0.0/9'];
    expect(parseAllowList(halves)).toMatchObject({ canonical: halves, corrections: [] });
  });

  it('takes no IPv4 block for a part of an IPv6 block, whatever their numbers', () => {
    const mapped = cidrAround(fromWords(0, 0, 0, 0), 64);
    expect(coversCidr(mapped, cidrAround(ipv4(0x0a000000), 8))).toBe(false);
    expect(parseAllowList(['::/64', '10.0.0.0/8']).canonical).toEqual(['10.0.0.0/8', '::/64']);
  });

  it('stores nothing as soon as one entry has a problem', () => {
    expect(parseAllowList(['192.0.2.0/24', 'garbage'])).toMatchObject({ canonical: [], entries: [] });
  });
});

describe('an entry is refused', () => {
  it('with the number that is too large', () => {
    const [problem] = parseAllowList(['203.0.113.300']).problems;
    expect(problem?.message).toBe(
      '300 is over 255. Write four decimal numbers from 0 to 255 without zeros before them.',
    );
  });

  it.each([
    // Leading zeros, short and hexadecimal forms.
    ['010.0.0.1', 'ambiguous_ipv4', undefined],
    ['010.0.0.0/8', 'ambiguous_ipv4', undefined],
    ['10.1', 'ambiguous_ipv4', undefined],
    ['0x0a.0.0.1', 'ambiguous_ipv4', undefined],
    ['167772161', 'ambiguous_ipv4', undefined],
    ['10/8', 'ambiguous_ipv4', undefined],
    ['1', 'ambiguous_ipv4', undefined],
    // Prefixes.
    ['10.0.0.0/33', 'prefix_range', undefined],
    ['::/129', 'prefix_range', undefined],
    ['10.0.0.0/99999999999999999999', 'prefix_range', undefined],
    ['10.0.0.0/-1', 'prefix_syntax', undefined],
    ['10.0.0.0/+8', 'prefix_syntax', undefined],
    ['10.0.0.0/8.0', 'prefix_syntax', undefined],
    ['10.0.0.0/0x8', 'prefix_syntax', undefined],
    ['10.0.0.0/8/8', 'prefix_syntax', undefined],
    ['10.0.0.0/08', 'prefix_syntax', '10.0.0.0/8'],
    ['10.0.0.0/ 8', 'prefix_syntax', '10.0.0.0/8'],
    ['10.0.0.5/08', 'prefix_syntax', '10.0.0.0/8'],
    ['10.0.0.5/', 'prefix_syntax', '10.0.0.5/32'],
    ['10.0.0.0/00', 'prefix_syntax', undefined],
    ['10.0.0.0/255.0.0.0', 'other_notation', '10.0.0.0/8'],
    // Host bits.
    ['10.0.0.5/8', 'host_bits', '10.0.0.0/8'],
    ['192.0.2.1/31', 'host_bits', '192.0.2.0/31'],
    ['2001:db8::1/64', 'host_bits', '2001:db8::/64'],
    ['::ffff:10.0.0.5/104', 'host_bits', '10.0.0.0/8'],
    // Everything.
    ['0.0.0.0/0', 'everything', undefined],
    ['10.0.0.0/0', 'everything', undefined],
    ['::/0', 'everything', undefined],
    ['::ffff:0.0.0.0/96', 'everything', undefined],
    // Zones.
    ['fe80::1%eth0', 'zone', undefined],
    ['fe80::1%eth0/64', 'zone', undefined],
    // Mapped and translated addresses.
    ['::ffff:0.0.0.0/95', 'mapped_prefix', undefined],
    ['64:ff9b::/96', 'translated', undefined],
    ['64:ff9b::/32', 'translated', undefined],
    ['64:ff9b::/48', 'translated', undefined],
    ['64:ff9b::192.0.2.0/120', 'translated', '192.0.2.0/24'],
    ['64:ff9b::192.0.2.1', 'translated', '192.0.2.1/32'],
    ['64:ff9b:1:2::/64', 'translated', undefined],
    ['::/1', 'translated', undefined],
    // No addresses.
    ['', 'not_an_address', undefined],
    ['   ', 'not_an_address', undefined],
    ['/8', 'not_an_address', undefined],
    ['garbage', 'not_an_address', undefined],
    ['true', 'not_an_address', undefined],
    ['localhost', 'not_an_address', undefined],
    ['*', 'not_an_address', undefined],
    ['10.0.0.*', 'other_notation', '10.0.0.0/24'],
    ['10.0.0.1-10.0.0.2', 'other_notation', '10.0.0.1/32, 10.0.0.2/32'],
    ['10.0.0.1 10.0.0.2', 'not_an_address', undefined],
    ['10.0.0.1:443', 'other_notation', '10.0.0.1/32'],
    ['[2001:db8::1]', 'other_notation', '2001:db8::1/128'],
    ['256.1.1.1', 'ambiguous_ipv4', undefined],
    ['10.0.0.0\u0000/8', 'not_an_address', undefined],
    ['１０.0.0.0/8', 'not_an_address', undefined],
    ['1'.repeat(1_000_000), 'not_an_address', undefined],
  ])('%.40j: %s, suggestion %s', (entry, code, suggestion) => {
    expect(problemsOf(entry)).toEqual([[code, suggestion]]);
  });

  it('with its place, the text and a message; a suggestion is itself accepted', () => {
    const { problems } = parseAllowList(['192.0.2.0/24', '10.0.0.5/8', 'x'.repeat(1000)]);
    expect(problems).toEqual([
      {
        index: 1,
        code: 'host_bits',
        given: '10.0.0.5/8',
        suggestion: '10.0.0.0/8',
        message:
          '10.0.0.5 is not the first address of a /8. Write 10.0.0.0/8 for the whole block, or 10.0.0.5/32 for this address alone.',
      },
      expect.objectContaining({ index: 2, code: 'not_an_address', given: `${'x'.repeat(63)}…` }),
    ]);
  });

  it('offering a block that is accepted and holds the given address, whenever host bits are set', () => {
    const entry = fc.oneof(
      fc.tuple(v4Address, fc.integer({ min: 1, max: 31 })),
      fc.tuple(v6Address, fc.integer({ min: 8, max: 127 })),
    );
    fc.assert(
      fc.property(entry, ([address, prefix]) => {
        const [problem] = parseAllowList([`${formatIpAddress(address)}/${prefix}`]).problems;
        fc.pre(problem?.code === 'host_bits');
        const suggestion = problem?.suggestion ?? '';
        expect(problemsOf(suggestion)).toEqual([]);
        expect(matchAllowList(compileAllowList([suggestion]), address, 0)).toBe(true);
      }),
    );
  });
});

describe('a list is refused', () => {
  it('when it is empty', () => expect(problemsOf()).toEqual([['empty_list', undefined]]));

  it('when it has more than 100 entries, without looking at them', () => {
    expect(problemsOf(...Array.from({ length: 1001 }, () => 'garbage'))).toEqual([
      ['too_many_entries', undefined],
    ]);
    expect(problemsOf(...Array.from({ length: 100 }, (_, i) => `192.0.2.${i}`))).toEqual([]);
  });

  it.each([
    [['0.0.0.0/1', '128.0.0.0/1']],
    [['128.0.0.0/1', '0.0.0.0/2', '64.0.0.0/2']],
    [['0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/3']],
  ])('when %j allow every address together', (entries) =>
    expect(problemsOf(...entries)).toEqual([['everything', undefined]]),
  );
});

describe('an entry is accepted with a warning', () => {
  const proxies = compileTrustedProxies(['203.0.113.0/24']).trusted.cidrs;
  const warningsOf = (entry: string) => {
    const { warnings, needsConfirm } = parseAllowList([entry], proxies);
    return [warnings.map(({ code }) => code), needsConfirm];
  };

  it.each([
    ['8.0.0.0/7', ['short_prefix'], true],
    ['11.0.0.0/8', [], false],
    ['2000::/3', ['short_prefix'], true],
    ['2001:db0::/31', ['short_prefix'], true],
    ['2001:db8::/32', [], false],
    ['127.0.0.1', ['local'], false],
    ['::1', ['local'], false],
    ['fe80::/64', ['local'], false],
    ['10.0.0.0/8', ['private'], false],
    ['192.168.1.0/24', ['private'], false],
    ['fd00::/32', ['private'], false],
    ['203.0.113.4', ['trusted_proxy'], false],
    ['203.0.112.0/23', [], false],
    ['198.51.100.0/24', [], false],
  ])('%s: %j, confirmation %s', (entry, codes, needsConfirm) => {
    expect(warningsOf(entry)).toEqual([codes, needsConfirm]);
  });
});

describe('neighbouring blocks', () => {
  const warningsOf = (...entries: string[]) =>
    parseAllowList(entries).warnings.map(({ index, code, message }) => [
      index,
      code,
      message.split(' is')[0],
    ]);

  it.each<[string, string[], [number, string, string][]]>([
    [
      'of a range share one warning',
      ['10.0.0.1/32', '10.0.0.2/31', '10.0.0.4/30', '10.0.0.8/31'],
      [[0, 'private', '10.0.0.1-10.0.0.9']],
    ],
    ['of IPv6 too', ['fd00::/127', 'fd00::2'], [[0, 'private', 'fd00::-fd00::2']]],
    ['alone say which they are', ['10.0.0.0/30'], [[0, 'private', '10.0.0.0/30']]],
    [
      'with a gap between them do not',
      ['10.0.0.1', '10.0.0.3'],
      [
        [0, 'private', '10.0.0.1/32'],
        [1, 'private', '10.0.0.3/32'],
      ],
    ],
    [
      'of another kind do not',
      ['126.255.255.255', '127.0.0.0', '127.0.0.1'],
      [[1, 'local', '127.0.0.0-127.0.0.1']],
    ],
    [
      'with another entry between them do not',
      ['10.0.0.1', '192.0.2.1', '10.0.0.2'],
      [
        [0, 'private', '10.0.0.1/32'],
        [2, 'private', '10.0.0.2/32'],
      ],
    ],
  ])('%s', (_, entries, expected) => {
    expect(warningsOf(...entries)).toEqual(expected);
  });
});

describe('entries that are very wide only together need a confirmation', () => {
  const wideOf = (...entries: string[]) => {
    const { warnings, needsConfirm } = parseAllowList(entries);
    return [warnings.filter(({ code }) => code === 'short_prefix').map(({ index }) => index), needsConfirm];
  };
  const eights = (count: number) => Array.from({ length: count }, (_, place) => `${place + 20}.0.0.0/8`);

  it.each<[string, string[], (number | null)[]]>([
    ['a hundred /8', eights(100), [null]],
    ['two /8', eights(2), [null]],
    ['one /8 and an address', [...eights(1), '192.0.2.7'], []],
    ['two IPv6 /32', ['2001:db8::/32', '2001:dba::/32'], [null]],
    ['a /8 and an IPv6 /32', [...eights(1), '2001:db8::/32'], []],
    ['a /7 beside a /8', ['24.0.0.0/7', ...eights(1)], [0]],
  ])('%s', (_, entries, places) => expect(wideOf(...entries)).toEqual([places, places.length > 0]));
});

describe('entries that end', () => {
  const address = ipv4(0x0a010203);
  const matches = (list: ReturnType<typeof compileAllowList>, nowMs: number) =>
    matchAllowList(list, address, nowMs);

  it('match until their end and not at it, and a list of nothing else then refuses everybody', () => {
    const list = compileAllowList(['10.1.0.0/16'], { '10.1.0.0/16': 1_000 });
    expect([999, 1_000].map((nowMs) => matches(list, nowMs))).toEqual([true, false]);
  });

  it('take nothing from entries that stay', () => {
    const list = compileAllowList(['10.1.0.0/16', '10.1.2.0/24'], { '10.1.0.0/16': 1_000 });
    expect(matches(list, 2_000)).toBe(true);
  });

  it.each<[string, InputEntry[], string[], string[]]>([
    [
      'inside one that lasts as long',
      [end('10.0.0.0/8', 5), end('10.1.0.0/16', 5)],
      ['10.0.0.0/8'],
      ['covered'],
    ],
    [
      'inside one that ends earlier',
      [end('10.0.0.0/8', 4), end('10.1.0.0/16', 5)],
      ['10.0.0.0/8', '10.1.0.0/16'],
      [],
    ],
    [
      'inside one that ends',
      [end('10.0.0.0/8', 4), end('10.1.0.0/16', null)],
      ['10.0.0.0/8', '10.1.0.0/16'],
      [],
    ],
    [
      'around one that stays',
      [end('10.1.0.0/16', null), end('10.0.0.0/8', 4)],
      ['10.0.0.0/8', '10.1.0.0/16'],
      [],
    ],
    [
      'twice with different ends',
      [end('10.0.0.0/8', 4), end('10.0.0.0/8', null)],
      ['10.0.0.0/8'],
      ['duplicate'],
    ],
  ])('an entry %s', (_, input, canonical, codes) => {
    const parsed = parseAllowList(input);
    expect(parsed.canonical).toEqual(canonical);
    expect(parsed.corrections.map(({ code }) => code)).toEqual(codes);
  });

  it('of the same block, the one that lasts longest is kept', () => {
    const { entries } = parseAllowList([end('10.0.0.0/8', 4), end('10.0.0.0/8', 9), end('10.0.0.0/8', 7)]);
    expect(entries).toMatchObject([{ index: 1, endsAtMs: 9 }]);
  });

  it('let in the same addresses at the same times, before and after merging', () => {
    const timed = fc.tuple(fc.oneof(v4Cidr, v6Cidr), fc.option(fc.nat({ max: 9 })));
    fc.assert(
      fc.property(fc.array(timed, { minLength: 1, maxLength: 15 }), fc.nat({ max: 10 }), (input, nowMs) => {
        const { entries } = parseAllowList(input.map(([cidr, endsAtMs]) => end(formatCidr(cidr), endsAtMs)));
        const live = input.flatMap(([cidr, endsAtMs]) => ((endsAtMs ?? Infinity) > nowMs ? [cidr] : []));
        const ends = Object.fromEntries(
          entries.flatMap(({ cidr, endsAtMs }) => (endsAtMs === null ? [] : [[formatCidr(cidr), endsAtMs]])),
        );
        const compiled = compileAllowList(
          entries.map(({ cidr }) => formatCidr(cidr)),
          ends,
        );
        for (const [cidr] of input) {
          for (const edge of [cidr.first, cidr.last, shifted(cidr.last, 1)]) {
            expect(matchAllowList(compiled, edge, nowMs)).toBe(naiveMatch(live, edge));
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  function end(text: string, endsAtMs: number | null): InputEntry {
    return { text, endsAtMs };
  }
});

describe('whether a list adds anything to another one', () => {
  const entriesOf = (...input: (string | InputEntry)[]) => parseAllowList(input).entries;
  const present = entriesOf('10.0.0.0/8', { text: '192.0.2.0/24', endsAtMs: 1_000 });

  it.each<[string, (string | InputEntry)[], boolean]>([
    ['the same list', ['10.0.0.0/8', { text: '192.0.2.0/24', endsAtMs: 1_000 }], true],
    ['a part of it', ['10.1.0.0/16'], true],
    ['an entry that now ends', [{ text: '10.0.0.0/8', endsAtMs: 1 }], true],
    ['an entry that ends later', [{ text: '192.0.2.0/24', endsAtMs: 1_001 }], false],
    ['an entry without an end', ['192.0.2.7'], false],
    ['a wider entry', ['10.0.0.0/7'], false],
    ['another entry', ['10.0.0.0/8', '198.51.100.1'], false],
  ])('%s', (_, requested, expected) => {
    expect(addsNothing(entriesOf(...requested), present)).toBe(expected);
  });
});

describe('a netmask beside an address', () => {
  it.each(['255.255.255.0', '255.0.0.0', '255.255.255.254', '0.0.0.255', '0.255.255.255'])(
    '%s is refused',
    (mask) => {
      expect(problemsOf('203.0.113.0', mask)).toEqual([['netmask', undefined]]);
    },
  );

  it('an address that is none is accepted, and so is a mask that was meant as a host', () => {
    expect(problemsOf('203.0.113.255', '254.255.255.0', '255.255.0.255', '255.255.255.0/32')).toEqual([]);
  });
});
