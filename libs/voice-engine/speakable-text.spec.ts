import fc from 'fast-check';
import { isSpeakable, speakableParts, speakableText, unspokenCharacters } from './speakable-text';

describe('speakableText', () => {
  it.each([
    ['Hello there. How are you?', 'Hello there. How are you?'],
    ['Hello [laughs] <break time="1s"/>world', 'Hello world'],
    ['<speak>Hi <emphasis level="strong">you</emphasis></speak>', 'Hi you'],
    ['“Naïve” — it’s a café…', "Naive, it's a cafe."],
    ['He said, "Hi." (Yes.)', 'He said, Hi. Yes.'],
    ['a well-known 3.5 or 1,000', 'a well-known 3.5 or 1,000'],
    ['Wait!!! What?!', 'Wait! What?'],
    ['Hi 😀 there 👍🏽', 'Hi there'],
    ['a\0b\u0007c\ud800d', 'a b c d'],
    ['It costs $5, or 10%.', 'It costs $5, or 10 percent.'],
    ['if 1 < 2 and 3 > 2', 'if 1 less than 2 and 3 greater than 2'],
    ['Søren, Straße, Łukasz, Þór, Đorđe', 'Soren, Strasse, Lukasz, Thor, Dorde'],
    ['It is -5 degrees, or −7.', 'It is minus 5 degrees, or minus 7.'],
    ['€10, £1, 5€, ₹2,500 and $5', '10 euros, 1 British pound, 5 euros, 2,500 Indian rupees and $5'],
    ['½ cup, 1½ cups, 3/4', '1/2 cup, 1 1/2 cups, 3/4'],
    ['20 °C, 451°F, 90°, 5 m²', '20 degrees Celsius, 451 degrees Fahrenheit, 90 degrees, 5 m squared'],
    ['pages 5–6 and/or #7', 'pages 5-6 and or number 7'],
    ['See [the manual](https://example.com/a) first.', 'See the manual first.'],
    ['a <b and c> d', 'a b and c d'],
    ['He said [1] it was [sic] so [pause] there.', 'He said 1 it was so there.'],
    ['ﬁne ＷＩＤＥ', 'fine WIDE'],
  ])('keeps what can be said of %j', (text, spoken) => {
    expect(speakableText(text)).toBe(spoken);
  });

  it.each([
    [''],
    ['   '],
    ['!?.,'.repeat(250)],
    ['😀'.repeat(100)],
    ['مرحبا بالعالم'],
    ['你好世界'],
    ['<break time="1s"/>'],
    ['[laughs]'],
    ['\0'],
  ])('is empty when nothing can be said: %j', (text) => {
    expect(speakableText(text)).toBe('');
  });

  it('keeps 1,000 characters of prose whole', () => {
    const prose = 'The last train had left an hour ago. '.repeat(27).trim();
    expect(speakableText(prose)).toBe(prose);
  });

  it('cuts what would be read out character by character for minutes', () => {
    expect(speakableText('9'.repeat(1000)).length).toBe(400);
    expect(speakableText('$1,234,567.89 '.repeat(70)).length).toBeLessThan(700);
    expect(speakableText('1234567 '.repeat(125)).length).toBeLessThan(260);
    expect(speakableText('bcdfg '.repeat(160)).length).toBeLessThan(600);
  });

  it('never leaves control characters, other scripts or runs of punctuation, and is stable', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 300 })),
        (text) => {
          const spoken = speakableText(text);
          expect(spoken).toMatch(/^[ -~]*$/);
          expect(spoken).not.toMatch(/[^A-Za-z0-9 $]{2,}/);
          expect(speakableText(spoken)).toBe(spoken);
        },
      ),
      { numRuns: 500 },
    );
  });
});

it('a text in parts has the silence that it requests, at most 3 s at once and two minutes in all', () => {
  expect(
    speakableParts(
      `<break time="500ms"/>One <break time='1.5s' /> two. <break time="9s"></break><break/>Three`,
    ),
  ).toEqual([
    { text: '', pauseSecs: 0.5 },
    { text: 'One', pauseSecs: 1.5 },
    { text: 'two.', pauseSecs: 3 },
    { text: 'Three', pauseSecs: 0 },
  ]);
  const silence = speakableParts(`Fog. ${'<break time="3s"/>'.repeat(100)}`);
  expect(silence.reduce((sum, { pauseSecs }) => sum + pauseSecs, 0)).toBeLessThan(120);
});

it('names the characters that it leaves out', () => {
  expect(unspokenCharacters('Łukasz paid €5 (½) to 你好 & Иван 🎈🎈.')).toEqual([...'你好Иван🎈']);
  expect(unspokenCharacters('Plain text, with "marks" – and [laughs].')).toEqual([]);
});

it.each(['你好，世界。', 'Привет', 'مرحبا', 'नमस्ते', 'Hello'])(
  '%s is speech for an engine that reads all scripts',
  (text) => {
    expect(isSpeakable(text, 'all')).toBe(true);
  },
);

it.each(['', '🎈', '<break time="1s"/>', '[laughs]', '…'])('%j is no speech for any engine', (text) => {
  expect(isSpeakable(text, 'all')).toBe(false);
});
