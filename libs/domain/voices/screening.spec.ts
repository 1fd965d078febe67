import { Screening, skeletonOf, type ScreeningEntry } from './screening';

const entry = (text: string, changes: Partial<ScreeningEntry> = {}): ScreeningEntry => ({
  id: text,
  list: 'blocked_words',
  text,
  accountId: null,
  ...changes,
});

const SCREENING = new Screening([
  entry('scoundrel'),
  entry('Morgan Freeman', { list: 'protected_names', accountId: 'his' }),
  entry('pen is'),
  entry('krüger'),
  entry('grift', { list: 'blocked_anywhere' }),
]);

const find = (text: string, field: 'name' | 'description' = 'name', accountId = 'theirs') =>
  SCREENING.find(text, field, accountId)?.text ?? null;

describe('screening finds', () => {
  it.each([
    ['as it is in the list', 'An old Scoundrel speaks', 'scoundrel'],
    ['Cyrillic letters', 'ѕсоundrеl', 'scoundrel'],
    ['Greek letters', 'sϲουndrεl', 'scoundrel'],
    ['full width', 'ｓｃｏｕｎｄｒｅｌ', 'scoundrel'],
    ['mathematical letters', '𝓼𝓬𝓸𝓾𝓷𝓭𝓻𝓮𝓵', 'scoundrel'],
    ['circled letters', 'ⓢⓒⓞⓤⓝⓓⓡⓔⓛ', 'scoundrel'],
    ['accents', 'śçôùñdrēl', 'scoundrel'],
    ['stacked marks', 's\u0336c\u0336o\u0336u\u0336n\u0336d\u0336r\u0336e\u0336l\u0336', 'scoundrel'],
    ['digits', '5c0undr3l', 'scoundrel'],
    ['a one for an l', 'scoundre1', 'scoundrel'],
    ['a one for an i', 'kr1uger gr1ft', 'grift'],
    ['signs', '$coundre|', 'scoundrel'],
    ['zero-width characters', 'scoun\u200bdr\u2060el\u00ad', 'scoundrel'],
    ['letter by letter', 's c o u n d r e l', 'scoundrel'],
    ['dots between', 's.c.o.u.n.d.r.e.l', 'scoundrel'],
    ['a hyphen within', 'scoun-drel', 'scoundrel'],
    ['long runs', 'scoooooundrel', 'scoundrel'],
    ['two words as one', 'MorganFreeman', 'Morgan Freeman'],
    ['two words with a sign', 'Morgan_Freeman II', 'Morgan Freeman'],
    ['two words in look-alikes', 'Моrgаn Frееmаn', 'Morgan Freeman'],
    ['an entry with an accent', 'Kruger', 'krüger'],
    ['a part of a word', 'upgrifting', 'grift'],
  ])('%s: %s', (_, text, expected) => {
    expect(find(text)).toBe(expected);
  });
});

describe('screening leaves alone', () => {
  it.each([
    ['a part of a word', 'scoundrelly'],
    ['other words that run together', 'a sco undrel'],
    ['letters at the ends of words', 'the pens is'],
    ['one word of two', 'Morgan Smith and a freeman'],
    ['nothing', ''],
    ['signs alone', '!!! --- ???'],
    ['other scripts', '日本語の声 Добрый день Καλημέρα'],
  ])('%s: %s', (_, text) => {
    expect(find(text)).toBeNull();
  });

  it('a protected name in a description, and in a name of the account that may use it', () => {
    expect(find('like Morgan Freeman', 'description')).toBeNull();
    expect(find('Morgan Freeman', 'name', 'his')).toBeNull();
  });
});

it('looks into the longest text against many entries in a moment', () => {
  const many = new Screening(Array.from({ length: 2_000 }, (_, index) => entry(`word${index} of the list`)));
  const text = 'a b c d e f g h i j '.repeat(50);
  const before = process.cpuUsage();
  expect(many.find(text, 'text', 'x')).toBeNull();
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(200);
});

it('a skeleton is the same for what looks the same', () => {
  expect(skeletonOf('Ｍоrgаn')).toBe('morgan');
  expect(skeletonOf('ΜΟRGΑΝ')).toBe(skeletonOf('morgan'));
});
