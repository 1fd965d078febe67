import { readAllowListText } from './allow-list-text';

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
    [
      'what is not an address',
      'hello 10/8',
      [
        ['hello', null],
        ['10/8', null],
      ],
    ],
    ['nothing', ' \n', []],
  ])('%s', (_, text, expected) => {
    expect(readAllowListText(text).map(({ address, note }) => [address, note])).toEqual(expected);
  });
});
