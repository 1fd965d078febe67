import { readingCsv } from './csv-records';
import { atOnce } from './interruptible';

const readCsv = (text: string) => atOnce(readingCsv(text));

const cellsOf = (text: string) => readCsv(text).records.map(({ line, cells }) => [line, ...cells]);

it.each([
  [
    'a,b\nc,d\n',
    [
      [1, 'a', 'b'],
      [2, 'c', 'd'],
    ],
  ],
  [
    'a,b\r\n\r\nc,d',
    [
      [1, 'a', 'b'],
      [3, 'c', 'd'],
    ],
  ],
  [
    '"a ""b"", c","two\nlines"\nx,',
    [
      [1, 'a "b", c', 'two\nlines'],
      [3, 'x', ''],
    ],
  ],
  ['', []],
])('%j', (text, records) => {
  expect(cellsOf(text)).toEqual(records);
});

it('names the line of a quote that does not end, or stands in a cell', () => {
  expect(readCsv('a,b\n"c,d').brokenLine).toBe(2);
  expect(readCsv('a,b\nc"d,e').brokenLine).toBe(2);
});

it.each([
  ['cells', 'x,'],
  ['lines', '\n'],
  ['cells in quotes', '"x",'],
  ['quotes in a cell', '""'],
  ['lines in a cell', '\n'],
])('reading may be interrupted every 200 %s', (what, kind) => {
  const count = 20_000;
  const text = kind.repeat(count);
  let turns = 0;
  const reading = readingCsv(what.endsWith('in a cell') ? `"${text}"` : text);
  while (!reading.next().done) turns += 1;
  expect(turns).toBeGreaterThanOrEqual(count / 200);
});

it('a cell in quotes has what stands between them, and a quote for two', () => {
  expect(cellsOf('"a""b\n""",""\n"""",c')).toEqual([
    [1, 'a"b\n"', ''],
    [3, '"', 'c'],
  ]);
  expect(readCsv('"a"b,c').brokenLine).toBe(1);
  expect(readCsv('a\n""",c').brokenLine).toBe(2);
});
