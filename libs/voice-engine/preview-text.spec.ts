import fc from 'fast-check';
import { generatePreviewText } from './preview-text';

/** Numbers in [0, 1) that repeat. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

const anySeed = fc.integer({ min: 1, max: 2_147_483_646 });

describe('generatePreviewText', () => {
  it('is 100 to 1,000 characters of whole sentences, none of them twice', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), anySeed, (description, seed) => {
        const text = generatePreviewText(description, numbers(seed));
        const sentences = text.match(/[^.!?]+[.!?]/g) ?? [];
        expect(text.length).toBeGreaterThanOrEqual(100);
        expect(text.length).toBeLessThanOrEqual(1000);
        expect(text).toMatch(/^[A-Z].*[.!?]$/);
        expect(new Set(sentences).size).toBe(sentences.length);
      }),
    );
  });

  it('repeats with the same random source and varies with another', () => {
    const texts = [1, 1, 2, 3, 4].map((seed) => generatePreviewText('a calm voice', numbers(seed * 7919)));
    expect(texts[0]).toBe(texts[1]);
    expect(new Set(texts).size).toBeGreaterThan(2);
  });

  it.each([
    ['An old radio announcer', /tuning|Stay with us|lines are open|sound of summer|roads|lighthouse/],
    ['A patient science teacher', /sky|lesson|step|light/i],
    ['An evil wizard', /gate|key|tower|promise|stone|forest/],
    ['A soothing meditation guide', /breath|shoulders|room|sounds|finished/i],
    ['A friendly robot', /systems|messages|meeting|greenhouse|step|ticket/],
    ['A man', /train|box|village|story|rained|houses|shore|music/],
  ])('suits the description: %s', (description, words) => {
    for (let seed = 1; seed < 20; seed++) {
      expect(generatePreviewText(description, numbers(seed * 104_729))).toMatch(words);
    }
  });
});
