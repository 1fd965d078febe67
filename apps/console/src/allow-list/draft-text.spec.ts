import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { addEntry, asList, mergeEntries, removeEntry, replaceEntry, toText, withAddress } from './draft-text';

const TEXT =
  '# offices\n203.0.113.5/24 # Berlin\r\n10.0.0.1, 10.0.0.2;10.0.0.3 # agency, two of them\n\n 192.0.2.1';

const addresses = (text: string) => readAllowListText(text).entries.map(({ address }) => address);

describe('a list that is being written', () => {
  it.each([0, 1, 2, 3, 4])('entry %i is replaced where it stands, and nothing else changes', (index) => {
    const expected = addresses(TEXT).with(index, '198.51.100.0/24');
    const replaced = replaceEntry(TEXT, index, '198.51.100.0/24');
    expect(addresses(replaced)).toEqual(expected);
    expect(readAllowListText(replaced).entries.map(({ note }) => note)).toEqual(
      readAllowListText(TEXT).entries.map(({ note }) => note),
    );
  });

  it.each([0, 1, 2, 3, 4])('entry %i is removed, and the others stay', (index) => {
    expect(addresses(removeEntry(TEXT, index))).toEqual(addresses(TEXT).toSpliced(index, 1));
  });

  it('a line goes with its only entry, note included', () => {
    expect(removeEntry('192.0.2.1 # old\n192.0.2.2', 0)).toBe('192.0.2.2');
  });

  it('a range is replaced by its blocks, each with its note', () => {
    const blocks = '10.0.0.1/32, 10.0.0.2/31';
    const range = 'VPN: 10.0.0.1-10.0.0.3';
    const written = (note: string) => `192.0.2.1\n10.0.0.1/32${note}\n10.0.0.2/31${note}\n192.0.2.2`;
    expect(replaceEntry(`192.0.2.1\n${range} (VPN)\n192.0.2.2`, 1, blocks)).toBe(written(' # VPN'));
    expect(replaceEntry(`192.0.2.1\n${range}\n192.0.2.2`, 1, blocks)).toBe(written(''));
  });

  it('a note goes with its entry', () => {
    expect(removeEntry('10.0.0.1 (VPN), 10.0.0.2 (home)\n', 0)).toBe('10.0.0.2 # home\n');
  });

  it('an index that is not there changes nothing', () => {
    expect(replaceEntry(TEXT, 9, 'x')).toBe(TEXT);
    expect(removeEntry(TEXT, 9)).toBe(TEXT);
  });

  it('an entry is added on a line of its own, whatever the text ends with', () => {
    expect(addEntry('192.0.2.1', '192.0.2.2', 'home')).toBe('192.0.2.1\n192.0.2.2 # home\n');
    expect(addEntry('', '192.0.2.2', null)).toBe('192.0.2.2\n');
  });

  it('a stored list reads back as it was stored', () => {
    const entries = [
      { cidr: '192.0.2.0/24', note: 'home, # 2' },
      { cidr: '2001:db8::/32', note: null },
    ];
    expect(readAllowListText(toText(entries)).entries).toMatchObject(
      entries.map(({ cidr, note }) => ({ address: cidr, note })),
    );
  });

  it('is written as a list with one click, whatever it was pasted from', () => {
    const mail = 'Hi Ana,\nour office (Berlin): 203.0.113.0/24 and 10.0.0.8-9 # VPN\n198.51.100.300\nSam';
    const list = '203.0.113.0/24 # VPN\n10.0.0.8/31 # VPN\n198.51.100.300\n';
    expect(asList(mail)).toBe(list);
    expect(asList(list)).toBe(list);
  });

  it('gets only those entries of a suggestion that it does not have, after what was typed', () => {
    const typed = '203.0.113.10 # by hand';
    const suggestion = '203.0.113.10/32 # 9 requests\n198.51.100.0/24 # 3 requests';
    expect(mergeEntries(typed, suggestion)).toEqual({
      text: '203.0.113.10 # by hand\n198.51.100.0/24 # 3 requests\n',
      added: 1,
    });
    expect(mergeEntries(typed, typed)).toEqual({ text: typed, added: 0 });
  });
});

it.each([
  ['', '203.0.113.10', '203.0.113.10\n'],
  ['192.0.2.0/24 # office', '203.0.113.10', '192.0.2.0/24 # office\n203.0.113.10\n'],
  ['203.0.113.10/32 # there', '203.0.113.10', '203.0.113.10/32 # there'],
  ['192.0.2.1', 'no address', '192.0.2.1'],
  ['192.0.2.1', undefined, '192.0.2.1'],
])('%p with the address %p is %p', (text, address, expected) => {
  expect(withAddress(text, address)).toBe(expected);
});
