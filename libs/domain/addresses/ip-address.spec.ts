import { isIP, SocketAddress } from 'node:net';
import * as fc from 'fast-check';
import {
  compareAddresses,
  formatIpAddress,
  fromWords,
  isSameAddress,
  parseIpAddress,
  type IpAddress,
} from './ip-address';

const canonical = (text: string) => {
  const address = parseIpAddress(text);
  return address && formatIpAddress(address);
};

const CHARACTERS = ['', ...Array.from('0123456789abfFgx.:::%/ -')];

/** Texts that are nearly addresses: a valid one with a few characters replaced, removed or put in. */
const nearly = fc
  .tuple(
    fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended()),
    fc.array(fc.tuple(fc.nat(50), fc.nat(1), fc.constantFrom(...CHARACTERS)), {
      maxLength: 3,
    }),
  )
  .map(([text, edits]) =>
    edits.reduce((t, [at, removed, added]) => t.slice(0, at) + added + t.slice(at + removed), text),
  );
const word = fc.nat({ max: 0xffffffff });
const sparseWord = fc.oneof(
  fc.constant(0),
  fc.nat({ max: 0xffff }),
  fc.nat({ max: 0xffff }).map((n) => n * 0x10000),
  word,
);
const addresses = fc
  .tuple(sparseWord, sparseWord, sparseWord, sparseWord)
  .map((words) => fromWords(...words));

describe('parsing an address', () => {
  it('accepts exactly what net.isIP accepts, less zone ids', () => {
    fc.assert(
      fc.property(nearly, (text) => {
        const accepted = isIP(text) !== 0 && !text.includes('%');
        expect({ text, accepted: parseIpAddress(text) !== null }).toEqual({ text, accepted });
      }),
      { numRuns: 5000 },
    );
  });

  it('reads the same value as the system does', () => {
    fc.assert(
      fc.property(nearly, (text) => {
        fc.pre(isIP(text) !== 0 && !text.includes('%'));
        const system = new SocketAddress({ address: text, family: isIP(text) === 4 ? 'ipv4' : 'ipv6' })
          .address;
        expect(canonical(text)).toBe(canonical(system));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    '010.0.0.1', '10.1', '10.0.1', '0x0a.0.0.1', '0xa000001', '167772161', '10.0.0.1.', '.10.0.0.1', '10..0.1', '1.2.3.4.5',
    '256.0.0.1', '10.0.0.00', '1.2.3.4 ', ' 1.2.3.4', '1.2.3.4\n', '1.2.3.4:80', '[::1]', '[::1]:80', '::1%lo', 'fe80::1%eth0',
    '', ':', ':::', '1::2::3', ':1:2:3:4:5:6:7', '1:2:3:4:5:6:7:', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8', '12345::', '::g', '::1.2.3', '::01.2.3.4', '1:2:3:4:5:6:7:1.2.3.4', '1.2.3.4::', '::1.2.3.4:5', '::/0',
    '１.2.3.4', '1.2.3.4/32', 'unknown', 'localhost', '0'.repeat(1_000_000), ':'.repeat(46),
  ])('refuses %j', (text) => expect(parseIpAddress(text)).toBeNull()); // oxfmt-ignore

  it('reads an IPv4-mapped address as IPv4, however it is written', () => {
    for (const text of ['::ffff:10.1.2.3', '::FFFF:0a01:0203', '0:0:0:0:0:ffff:10.1.2.3', '::ffff:a01:203']) {
      expect(parseIpAddress(text)).toEqual(parseIpAddress('10.1.2.3'));
    }
  });

  it('does not take an IPv4-compatible or translated address for IPv4', () => {
    for (const text of ['::10.1.2.3', '64:ff9b::10.1.2.3', '::ffff:0:10.1.2.3', '1::ffff:10.1.2.3']) {
      expect(parseIpAddress(text)?.family).toBe(6);
    }
  });
});

describe('the canonical text', () => {
  // The cases of RFC 5952 sections 1 to 4, and the ends of both spaces.
  it.each([
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:0db8::0001', '2001:db8::1'],
    ['2001:db8:0:0:0:0:2:1', '2001:db8::2:1'],
    ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1::', '2001:db8:0:0:1::'],
    ['2001:DB8:AAAA::A', '2001:db8:aaaa::a'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['::1', '::1'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['::192.0.2.1', '::c000:201'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
  ])('of %s is %s', (text, expected) => expect(canonical(text)).toBe(expected));

  it('reads back as the same address', () => {
    fc.assert(
      fc.property(addresses, (address) => expect(parseIpAddress(formatIpAddress(address))).toEqual(address)),
    );
  });

  it('is the same for every spelling of an address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const once = canonical(text) ?? '';
        expect(canonical(once)).toBe(once);
        expect(canonical(text.toUpperCase())).toBe(once);
      }),
    );
  });
});

function value(a: IpAddress): bigint {
  return [a.w0, a.w1, a.w2, a.w3].reduce((sum, part) => sum * 2n ** 32n + BigInt(part), 0n);
}

describe('comparing addresses', () => {
  it('orders them as numbers of 128 bits', () => {
    fc.assert(
      fc.property(addresses, addresses, (a, b) => {
        const [x, y] = [value(a), value(b)];
        expect(compareAddresses(a, b)).toBe(x < y ? -1 : Number(x > y));
        expect([isSameAddress(a, b), isSameAddress(a, { ...a })]).toEqual([x === y, true]);
      }),
    );
  });
});
