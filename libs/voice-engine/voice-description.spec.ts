import fc from 'fast-check';
import { understandDescription } from './voice-description';

describe('understandDescription', () => {
  it.each([
    ['A calm old radio narrator', { expressiveness: -0.6, pace: -0.5, lofi: 1 }],
    ['An old man on an old radio', { gender: 'male', age: 'old', lofi: 1 }],
    ['A radio host with a deep voice', { pitch: -1 }],
    ['A middle-aged woman', { gender: 'female', age: 'middle_aged' }],
    ['A woman in her 40s', { gender: 'female', age: 'middle_aged' }],
    ['A 35-year-old man', { gender: 'male', age: 'middle_aged' }],
    ['a girl aged 8', { gender: 'female', age: 'child' }],
    ['a 1940s newsreel', { lofi: 1 }],
    ['high quality audio, studio quality', {}],
    ['a low-pitched male voice', { gender: 'male', pitch: -1 }],
    ['a fast but calm voice', { pace: 1, expressiveness: -0.6 }],
    ['Scottish, warm', { accent: 'scottish', brightness: -0.8 }],
    ['LOUD ＤＥＥＰ voice', { pitch: -1 }],
    ['a grandmother', { gender: 'female', age: 'old' }],
    ['high energy, high-pitched', { expressiveness: 1.3, pace: 0.6, pitch: 1 }],
    ['an old friend', {}],
    ['somebody', {}],
    ['', {}],
    ['He speaks quickly, gently and raspily', { gender: 'male', pace: 1, expressiveness: -0.6, gravel: 1 }],
    ['a trembling voice', { tremor: 1 }],
    ['a shaky whisper', { tremor: 1, breath: 2.5, expressiveness: -0.5 }],
    ['a slow commercial', { pace: -1, expressiveness: 0.8 }],
    ['a friendly family', { expressiveness: 0.7, brightness: 0.4 }],
  ])('reads "%s"', (description, traits) => {
    expect(understandDescription(description).traits).toEqual(traits);
  });

  it.each([
    ['not deep', ['deep'], {}],
    ["it isn't nasal", ['nasal'], {}],
    ['without any breathiness', ['breathiness'], {}],
    ['no British accent, deep', ['british'], { pitch: -1 }],
    ['no accent and a deep voice', [], { pitch: -1 }],
    ['no accent, deep voice', [], { pitch: -1 }],
    ['not deep or too raspy, but bright', ['deep', 'raspy'], { brightness: 0.9 }],
    ['not deep and raspy', ['deep', 'raspy'], {}],
    ['neither slow nor fast', ['slow', 'fast'], {}],
    ['never too fast, slow', ['fast'], { pace: -1 }],
  ])('skips what "%s" negates', (description, negated, traits) => {
    expect(understandDescription(description)).toMatchObject({ negated });
    expect(understandDescription(description).traits).toEqual(traits);
  });

  it.each([
    ['deeper', { pitch: -1 }],
    ['a bit deeper', { pitch: -0.5 }],
    ['much deeper', { pitch: -1.8 }],
    ['a lot deeper, slightly slower', { pitch: -1.8, pace: -0.5 }],
    ['very deep', { pitch: -1.5 }],
    ['less breathy', { breath: -1 }],
    ['a little less breathy', { breath: -0.5 }],
    ['more expressive', { expressiveness: 1 }],
    ['older and slower', { aging: 1, pace: -1 }],
    ['much younger', { aging: -1.8 }],
  ])('measures the step of "%s"', (description, traits) => {
    expect(understandDescription(description).traits).toEqual(traits);
  });

  it('says which words it went by and which it did not know', () => {
    const understood = understandDescription(
      'A gravelly wizard with a thick Norwegian accent who loves fjords',
    );
    expect(understood.matched).toEqual([
      { attribute: 'gravel', words: 'gravelly', value: 1 },
      { attribute: 'gender', words: 'wizard', value: 'male' },
    ]);
    expect(understood.unmatched).toEqual(['thick', 'norwegian', 'loves', 'fjords']);
    expect(understood.unavailableAccent).toBe('norwegian');
  });

  it('lets a longer phrase win over a shorter one, wherever it stands', () => {
    expect(understandDescription('young, or rather a middle-aged man').traits.age).toBe('middle_aged');
  });

  it('reads any text without failing, and the same way twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1000 }), (description) => {
        expect(understandDescription(description)).toEqual(understandDescription(description));
      }),
    );
  });

  it('reads 1,000 characters in a few milliseconds, whatever they are', () => {
    const started = performance.now();
    for (const piece of ['very ', 'not ', 'old radio ', 'a-', '10 years ']) {
      understandDescription(piece.repeat(1000 / piece.length));
    }
    expect(performance.now() - started).toBeLessThan(500);
  });
});
