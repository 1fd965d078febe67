import { MAX_PRESET_BLOCKS, readPreset } from './allow-list-preset';

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
