import fc from 'fast-check';
import { speakableText } from './speakable-text';

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
    ['if 1 < 2 and 3 > 2', 'if 1 2 and 3 2'],
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
