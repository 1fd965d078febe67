import { toCsvLine } from './csv';

describe('a line of CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['with, comma', '"with, comma"'],
    ['with "quotes"', '"with ""quotes"""'],
    ['two\nlines', '"two\nlines"'],
    [12, '12'],
    [-3, '-3'],
    [null, ''],
    ['=1+1', `"'=1+1"`],
    ['+49 30 1', `"'+49 30 1"`],
    ['-2+3', `"'-2+3"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['  =1', `"'  =1"`],
    ['|calc', `"'|calc"`],
    ['＝1+1', `"'＝1+1"`],
    ['　＋1', `"'　＋1"`],
    ['－1', `"'－1"`],
    ['＠SUM(A1)', `"'＠SUM(A1)"`],
    ['﹣1', `"'﹣1"`],
    ['ａ＝ｂ', 'ａ＝ｂ'],
    ['a=b', 'a=b'],
  ])('writes %p as %p', (value, cell) => {
    expect(toCsvLine([value, 'next'])).toBe(`${cell},next\r\n`);
  });
});
