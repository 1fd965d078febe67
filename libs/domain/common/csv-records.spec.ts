import { readCsv } from './csv-records';

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
