import { caselessPattern, loweredForms, plainText } from './caseless';

describe('a pattern without case', () => {
  it.each([
    ['ägypten', 'ÄGYPTEN'],
    ['cafe', 'Café'],
    ['ISTANBUL', 'istanbul'],
    ['istanbul', 'İSTANBUL'],
    ['ısparta', 'ISPARTA'],
    ['ΟΔΟΣ', 'οδος'],
    ['straße', 'STRAßE'],
    ['漢字', '漢字'],
    ['a.b*(c)', 'A.B*(C)'],
    [String.raw`50% \d_`, String.raw`50% \D_`],
  ])('%s finds %s', (text, name) => {
    expect(new RegExp(`^${caselessPattern(text)}$`, 'u').test(plainText(name))).toBe(true);
  });

  it('finds what it means, and not what a pattern would', () => {
    expect(new RegExp(caselessPattern('a.b')).test('axb')).toBe(false);
  });
});

it('lists what lower() makes of a text in any locale, which is one form for most', () => {
  expect(loweredForms('German')).toEqual(['german']);
  expect(loweredForms('österreich')).toEqual(['österreich', 'österreıch', 'Österreich']);
  expect(loweredForms('Irish')).toEqual(['irish', 'ırısh', 'ırish']);
});
