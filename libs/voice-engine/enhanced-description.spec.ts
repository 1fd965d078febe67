import fc from 'fast-check';
import { additionTo, withAddition } from './enhanced-description';
import { understandDescription } from './voice-description';

describe('additionTo', () => {
  it.each([
    ['A narrator for documentaries', 'measured, warm'],
    ['A slow narrator for documentaries', 'warm'],
    ['An evil villain in a tower', 'gravelly'],
    ['Somebody reading a letter', 'conversational, warm, lively'],
    ['Somebody reading a letter, not fast', 'warm, lively'],
    ['A deep, slow, breathy, bright woman', null],
  ])('"%s" becomes fuller by %j', (description, addition) => {
    expect(additionTo(description)).toBe(addition);
  });

  it('changes nothing that the description says', () => {
    const words = fc.constantFrom(
      'deep',
      'villain',
      'slow',
      'not',
      'old',
      'woman',
      'warm',
      'narrator',
      ',',
      'sea',
    );
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 8 }), (parts) => {
        const description = parts.join(' ');
        const before = understandDescription(description).traits;
        const after = understandDescription(withAddition(description, additionTo(description))).traits;
        expect(after).toMatchObject(before);
      }),
    );
  });

  it('never goes beyond the longest description', () => {
    const description = `${'sea '.repeat(248)}narrator`;
    expect(additionTo(description)).toBeNull();
  });
});
