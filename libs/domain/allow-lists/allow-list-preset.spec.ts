import { atOnce } from '../common/interruptible';
import { MAX_PRESET_BLOCKS, readingPreset } from './allow-list-preset';

const readPreset = (text: string) => atOnce(readingPreset(text));

const AWS = {
  syncToken: '1',
  prefixes: [
    { ip_prefix: '203.0.113.0/25', region: 'eu-central-1' },
    { ip_prefix: '203.0.113.0/24' },
    { ip_prefix: '198.51.100.0/24' },
  ],
  ipv6_prefixes: [{ ipv6_prefix: '2001:db8::/32' }],
};

it.each([
  ['AWS ip-ranges.json', JSON.stringify(AWS), ['198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32']],
  ['GitHub meta', '{"ssh_keys":["a"],"actions":["192.0.2.0/24"]}', ['192.0.2.0/24']],
  ['escaped slashes', String.raw`{"ips":["192.0.2.0\/24"]}`, ['192.0.2.0/24']],
  ['names of fields that look like blocks', '{"192.0.2.0/24" : ["198.51.100.0/24"]}', ['198.51.100.0/24']],
  ['texts that hold one', String.raw`["\"192.0.2.0/24\"","198.51.100.0/24"]`, ['198.51.100.0/24']],
  [
    'more than it may have, of which most are covered',
    `${'192.0.2.1\n'.repeat(30_000)}192.0.2.0/24`,
    ['192.0.2.0/24'],
  ],
  ['plain text', '# runners\n192.0.2.1\n198.51.100.0/24 # two', ['192.0.2.1/32', '198.51.100.0/24']],
])('reads %s', (_, text, blocks) => {
  expect(readPreset(text)).toEqual({ ok: true, blocks });
});

it.each([
  ['nothing', '', 'names no block'],
  ['JSON without blocks', '{"prefixes":[]}', 'names no block'],
  ['half of a file', '{"prefixes":[{"ip_prefix":"192.0.2.0/24"', 'not JSON'],
  ['a block with host bits', '192.0.2.0/24\n203.0.113.5/24', 'its entry 203.0.113.5/24'],
  ['everything', '0.0.0.0/0', 'its entry 0.0.0.0/0'],
  [
    'too many',
    Array.from({ length: MAX_PRESET_BLOCKS + 1 }, (_, i) => `10.${(2 * i) >> 8}.${(2 * i) & 255}.0/24`).join(
      '\n',
    ),
    'at most 5000',
  ],
])('refuses %s', (_, text, problem) => {
  expect(readPreset(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
});

it.each([
  ['text', '192.0.2.0/24\n'],
  ['numbers on one line', '7 '],
  ['addresses on one line', '192.0.2.1, '],
  ['ranges', '192.0.2.1 - 192.0.2.2; '],
])('a file of %s may be interrupted every 500 words', (_, word) => {
  const words = 20_000;
  let turns = 0;
  const reading = readingPreset(word.repeat(words));
  while (!reading.next().done) turns += 1;
  expect(turns).toBeGreaterThanOrEqual(words / 500);
});
