import fc from 'fast-check';
import { parseAllowListEntry } from '../addresses/address-entry';
import { cidrAround, formatCidr } from '../addresses/cidr';
import { compareAddresses, formatIpAddress, fromWords, ipv4, type IpAddress } from '../addresses/ip-address';
import { readAllowListText } from './allow-list-text';

const read = (text: string) => readAllowListText(text).entries.map(({ address, note }) => [address, note]);
const meant = (text: string) => {
  const parsed = parseAllowListEntry(text, 0);
  return parsed.ok ? formatCidr(parsed.cidr) : parsed.problem.suggestion;
};

describe('an allow-list as text', () => {
  it.each<[string, string, [string, string | null][]]>([
    [
      'one a line',
      '192.0.2.1\n192.0.2.2\r\n192.0.2.3',
      [
        ['192.0.2.1', null],
        ['192.0.2.2', null],
        ['192.0.2.3', null],
      ],
    ],
    [
      'several a line',
      '192.0.2.1, 192.0.2.2;192.0.2.3  ::1',
      [
        ['192.0.2.1', null],
        ['192.0.2.2', null],
        ['192.0.2.3', null],
        ['::1', null],
      ],
    ],
    [
      'notes',
      '192.0.2.1 # office # Berlin\n::1',
      [
        ['192.0.2.1', 'office # Berlin'],
        ['::1', null],
      ],
    ],
    ['an empty note', '192.0.2.1 #  ', [['192.0.2.1', null]]],
    ['lines without an entry', '\n# nothing\n \n192.0.2.1\n', [['192.0.2.1', null]]],
    ['an entry that is switched off by a #', '# 192.0.2.9\n192.0.2.1', [['192.0.2.1', null]]],
    ['a # before the first entry of a line', 'Ticket #4711: 192.0.2.1 # office', [['192.0.2.1', 'office']]],
    ['nothing', ' \n', []],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each<[string, string, string[], string[]]>([
    [
      'an e-mail',
      'Hi Ana,\n\nour new office (Berlin) uses “203.0.113.0/24” and 198.51.100.7. Since 12.05.2026, 10:30, also <2001:db8::>!\n> 192.0.2.1\n\nBest\nSam\n--\n+49 30 123456, v2.1.0, 00:1a:2b:3c:4d:5e',
      ['203.0.113.0/24', '198.51.100.7', '2001:db8::', '192.0.2.1'],
      [
        'Hi',
        'Ana',
        'our',
        'new',
        'office',
        'Berlin',
        'uses',
        'and',
        'Since',
        '12.05.2026',
        '10:30',
        'also',
        'Best',
        'Sam',
        '49',
        '30',
        '123456',
        'v2.1.0',
        '00:1a:2b:3c:4d:5e',
      ],
    ],
    [
      'a table',
      'Site\tNetwork\tMask\nBerlin\t203.0.113.0\t255.255.255.0\nRome\t"198.51.100.7"\t\n',
      ['203.0.113.0\t255.255.255.0', '198.51.100.7'],
      ['Site', 'Network', 'Mask'],
    ],
    [
      'bullets',
      '- 192.0.2.1\n•192.0.2.2\n* 192.0.2.3\n1) 192.0.2.4',
      ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'],
      ['1'],
    ],
    [
      'mistakes',
      '192.0.2.300 010.0.0.1 10.0.0.l 10/8 192.0.2/24 0x7f.0.0.1 fe80::1%eth0 2001:db8:1:2 10.0.0.1-berlin',
      [
        '192.0.2.300',
        '010.0.0.1',
        '10.0.0.l',
        '10/8',
        '192.0.2/24',
        '0x7f.0.0.1',
        'fe80::1%eth0',
        '2001:db8:1:2',
        '10.0.0.1-berlin',
      ],
      [],
    ],
    [
      'words of several words',
      '10.0.0.1 - 10.0.0.9, 10.0.0.0 /24; 10.0.0.0 subnet mask 255.0.0.0',
      ['10.0.0.1 - 10.0.0.9', '10.0.0.0 /24', '10.0.0.0 subnet mask 255.0.0.0'],
      [],
    ],
  ])('%s', (_, text, addresses, ignored) => {
    expect(read(text).map(([address]) => address)).toEqual(addresses);
    expect(readAllowListText(text).ignored).toEqual(ignored);
    for (const { address, start, end } of readAllowListText(text).entries)
      expect(text.slice(start, end)).toBe(address);
  });

  it.each([
    ['10.0.0.1-10.0.0.9', '10.0.0.1/32, 10.0.0.2/31, 10.0.0.4/30, 10.0.0.8/31'],
    ['10.0.0.1 – 10.0.0.3', '10.0.0.1/32, 10.0.0.2/31'],
    ['10.0.0.8..10.0.0.9', '10.0.0.8/31'],
    ['10.0.0.8 to 10.0.0.9', '10.0.0.8/31'],
    ['10.0.0.8-9', '10.0.0.8/31'],
    ['2001:db8::-2001:db8::3', '2001:db8::/126'],
    ['10.0.0.*', '10.0.0.0/24'],
    ['10.0.x.x', '10.0.0.0/16'],
    ['10.*', '10.0.0.0/8'],
    ['10.0.0.0 255.255.255.0', '10.0.0.0/24'],
    ['10.0.0.7/255.255.255.0', '10.0.0.0/24'],
    ['10.0.0.0, netmask 255.255.255.252', '10.0.0.0/30'],
    ['10.0.0.0 0.0.0.255', '10.0.0.0/24'],
    ['10.0.0.1 255.255.255.255', '10.0.0.1/32'],
    ['10.0.0.1:8080', '10.0.0.1/32'],
    ['10.0.0.0/24:443', '10.0.0.0/24'],
    ['[2001:db8::1]:443', '2001:db8::1/128'],
    ['[2001:db8::]/32', '2001:db8::/32'],
    ['[10.0.0.0/8]', '10.0.0.0/8'],
    ['https://192.0.2.7/', '192.0.2.7/32'],
    ['https://192.0.2.7:8443/v1/voices?x=1', '192.0.2.7/32'],
    ['https://[2001:db8::1]:8443/', '2001:db8::1/128'],
    ['IP:192.0.2.7', '192.0.2.7/32'],
    ['192.0.2.0 / 24', '192.0.2.0/24'],
  ])('%s is read as one entry, and refused with what it means: %s', (text, blocks) => {
    expect(read(text)).toHaveLength(1);
    expect(parseAllowListEntry(text, 0)).toMatchObject({ ok: false, problem: { suggestion: blocks } });
    const written = readAllowListText(blocks);
    expect(written.ignored).toEqual([]);
    expect(written.entries.map(({ address }) => meant(address)).join(', ')).toBe(blocks);
  });

  it.each(['10.0.0.9-10.0.0.1', '10.0.0.1-300', '10.*.0.1', '10.0.0.1-2001:db8::1', '10.0.0.0/8/8'])(
    '%s means nothing, and stays a mistake',
    (text) => {
      expect(read(text)).toEqual([[text, null]]);
      expect(parseAllowListEntry(text, 0)).toMatchObject({ ok: false });
      expect(meant(text)).toBeUndefined();
    },
  );

  it('a range of all addresses is refused as everything', () => {
    expect(parseAllowListEntry('0.0.0.0-255.255.255.255', 0)).toMatchObject({
      problem: { code: 'everything' },
    });
  });
});

describe('what stands beside an address is its note', () => {
  it.each<[string, string, [string, string | null][], string[]]>([
    ['in brackets', '203.0.113.7 (office Berlin)', [['203.0.113.7', 'office Berlin']], []],
    ['in square brackets', '203.0.113.7 [VPN]', [['203.0.113.7', 'VPN']], []],
    ['behind a dash', '203.0.113.7 - office', [['203.0.113.7', 'office']], []],
    ['behind a long dash', '203.0.113.7 — office (Berlin)', [['203.0.113.7', 'office (Berlin)']], []],
    ['behind a gap', '203.0.113.7    office Berlin', [['203.0.113.7', 'office Berlin']], []],
    ['behind a #', '203.0.113.7 # office', [['203.0.113.7', 'office']], []],
    ['with the number of a ticket', '203.0.113.7 - ticket #4711', [['203.0.113.7', 'ticket #4711']], []],
    ['of a range', '10.0.0.1 - 10.0.0.9 (VPN)', [['10.0.0.1 - 10.0.0.9', 'VPN']], []],
    ['of a range, behind a dash', '10.0.0.1-10.0.0.9 - VPN', [['10.0.0.1-10.0.0.9', 'VPN']], []],
    ['of a mistake', '192.0.2.300 - office', [['192.0.2.300', 'office']], []],
    [
      'for each address of a line',
      'We use 203.0.113.7 (office), 198.51.100.7 (home).',
      [
        ['203.0.113.7', 'office'],
        ['198.51.100.7', 'home'],
      ],
      ['We', 'use'],
    ],
    [
      'in a list of an e-mail',
      'Hi Ana - please allow these:\n- 203.0.113.7 – office Berlin\n2) “198.51.100.7” (VPN)\n> * 192.0.2.1 - home\n\nThanks - Sam\n-- \nSam Smith | ACME\n',
      [
        ['203.0.113.7', 'office Berlin'],
        ['198.51.100.7', 'VPN'],
        ['192.0.2.1', 'home'],
      ],
      ['Hi', 'Ana', 'please', 'allow', 'these', '2', 'Thanks', 'Sam', 'Sam', 'Smith', 'ACME'],
    ],
    [
      'in a spreadsheet',
      'Site\tNetwork\tSince\nBerlin\t203.0.113.7\t2026-05-12\n198.51.100.7\t"Rome, 2nd floor"\n10.0.0.0\t255.255.255.0\tVPN\n',
      [
        ['203.0.113.7', 'Berlin, 2026-05-12'],
        ['198.51.100.7', 'Rome, 2nd floor'],
        ['10.0.0.0\t255.255.255.0', 'VPN'],
      ],
      ['Site', 'Network', 'Since'],
    ],
    ['in a table', '| Berlin | 203.0.113.7 |', [['203.0.113.7', 'Berlin']], []],
    ['in brackets and after a #', '192.0.2.1 (VPN) # office', [['192.0.2.1', 'VPN, office']], []],
  ])('%s', (_, text, entries, ignored) => {
    expect(read(text)).toEqual(entries);
    expect(readAllowListText(text).ignored).toEqual(ignored);
  });

  it.each<[string, string]>([
    ['a sentence', '203.0.113.7 - please allow it!'],
    ['the end of a sentence', 'Our office uses 203.0.113.7 - please allow it'],
    ['a salutation', '203.0.113.7 - thanks,'],
    ['a salutation in a column', 'Hi Ana,\t203.0.113.7'],
    ['a longer text', `203.0.113.7 (${'office '.repeat(9)})`],
    ['a number', '203.0.113.7 - 4711'],
    ['brackets that do not end', '203.0.113.7 (office'],
    ['brackets before it', 'the office (Berlin) 203.0.113.7'],
    ['the next line', '203.0.113.7\n(office)\n- Sam\n-- \nACME'],
    ['a time', '203.0.113.7 (10:30)'],
  ])('but not %s', (_, text) => {
    expect(read(text)).toEqual([['203.0.113.7', null]]);
  });

  it.each<[string, string, string[]]>([
    ['brackets with an address', '203.0.113.7 (was 203.0.113.8)', ['203.0.113.7', '203.0.113.8']],
    ['a dash before an address', '203.0.113.7 - and 203.0.113.8', ['203.0.113.7', '203.0.113.8']],
    ['a column of two addresses', '203.0.113.7\tBerlin\t203.0.113.8', ['203.0.113.7', '203.0.113.8']],
  ])('nor %s', (_, text, addresses) => {
    expect(read(text)).toEqual(addresses.map((address) => [address, null]));
  });
});

it('takes as long for one text as for its parts', () => {
  const part =
    `Hi, 10.0.0.1 - 10.0.0.9 and ${'.'.repeat(50)} 10.0.0.0 255.0.0.0 [::1]:1 #1\n${'a:'.repeat(50)} 1.`.repeat(
      20,
    );
  const duration = (work: () => void) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  readAllowListText(part);
  const parts = duration(() => Array.from({ length: 100 }, () => readAllowListText(part)));
  const whole = duration(() => readAllowListText(part.repeat(100)));
  expect(whole).toBeLessThan(10 * parts);
});

const address = fc.oneof(
  fc.nat(0xffff_ffff).map(ipv4),
  fc.tuple(fc.nat(0xffff), fc.nat(0xffff_ffff)).map(([w2, w3]) => fromWords(0x20010db8, 0, w2, w3)),
);
const block = fc
  .tuple(address, fc.integer({ min: 8, max: 32 }))
  .map(([at, prefix]) => formatCidr(cidrAround(at, at.family === 4 ? prefix : prefix + 96)));
const junk = fc.constantFrom(
  'Hi,',
  'office',
  '12.05.2026',
  '10:30',
  '(VPN)',
  '--',
  '\n',
  '\t',
  '“new”',
  '>',
  '3)',
  'v1.2',
  '4711',
);

describe('of any text', () => {
  it('every block is found, in its order, and nothing else', () => {
    const texts = fc.array(
      fc.oneof(
        block.map((entry) => ({ entry, text: entry })),
        junk.map((text) => ({ entry: null, text })),
      ),
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.map((part) => part.text).join(' ');
        expect(read(text).map(([found]) => found)).toEqual(parts.flatMap(({ entry }) => entry ?? []));
      }),
    );
  });

  it('a range is exactly the blocks that it is shown as', () => {
    const ends = fc.tuple(address, fc.nat(5_000)).map(([first, more]): [IpAddress, IpAddress] => {
      const last = Math.min(0xffff_ffff, first.w3 + more);
      return [first, { ...first, w3: last }];
    });
    fc.assert(
      fc.property(ends, ([first, last]) => {
        const text = `${formatIpAddress(first)}-${formatIpAddress(last)}`;
        const shown = meant(text)!
          .split(', ')
          .map((entry) => parseAllowListEntry(entry, 0));
        let next = first.w3;
        for (const entry of shown) {
          if (!entry.ok) throw new Error(entry.problem.message);
          expect(entry.cidr.first.w3).toBe(next);
          next = entry.cidr.last.w3 + 1;
        }
        expect(next).toBe(last.w3 + 1);
        expect(compareAddresses(first, last)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('every letter and digit is in an entry, in its note, or among the ignored words', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'19.:/-a \n\t,*x[]()') }), (text) => {
        const { entries, ignored } = readAllowListText(text);
        const count = (part: string) => part.match(/[a-z\d]/g)?.length ?? 0;
        const accounted = [
          ...entries.flatMap(({ address: entry, note }) => [entry, note ?? '']),
          ...ignored,
        ].reduce((sum, part) => sum + count(part), 0);
        expect(accounted).toBe(count(text));
      }),
    );
  });
});
