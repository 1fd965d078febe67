import fc from 'fast-check';
import { understandDescription } from './voice-description';
import { SpecRequest, specsFor, VoiceSpec } from './voice-spec';

function specs(description: string, options: Partial<SpecRequest> = {}): VoiceSpec[] {
  const { traits } = understandDescription(description);
  return specsFor({
    description,
    traits,
    seed: 1,
    loudness: 0.5,
    guidanceScale: 5,
    quality: null,
    ...options,
  });
}

const voicesOf = (description: string) => [...new Set(specs(description).map(({ voice }) => voice))].sort();

describe('specsFor', () => {
  it('gives the same three for the same request and others for another seed or description', () => {
    expect(specs('a calm woman')).toEqual(specs('a calm woman'));
    expect(specs('a calm woman')).not.toEqual(specs('a calm woman', { seed: 2 }));
    expect(specs('a calm woman').map(({ noiseSeed }) => noiseSeed)).not.toEqual(
      specs('a calm  woman').map(({ noiseSeed }) => noiseSeed),
    );
  });

  it.each([
    ['a woman', ['slt']],
    ['an American man', ['rms']],
    ['a man', ['awb', 'rms']],
    ['a British man', ['awb']],
    ['a Scottish voice', ['awb']],
    ['a boy', ['slt']],
    ['a robotic voice', ['kal16']],
    ['a narrator', ['awb', 'rms', 'slt']],
    ['an androgynous voice', ['awb', 'slt']],
  ])('casts "%s" from %j', (description, voices) => {
    expect(voicesOf(description)).toEqual(voices);
  });

  it.each([
    ['a woman', 'deeper', 'f0', -1],
    ['a woman', 'higher', 'f0', 1],
    ['an American man', 'deeper', 'alpha', -1],
    ['a woman', 'slower', 'stretch', 1],
    ['a man', 'faster', 'stretch', -1],
    ['a woman', 'older', 'gravel', 1],
    ['a woman', 'breathier', 'breath', 1],
    ['a breathy woman', 'less breathy', 'breath', -1],
    ['a woman', 'brighter', 'tiltDb', 1],
    ['a woman', 'more expressive', 'f0sd', 1],
    ['an expressive woman', 'more monotone', 'f0sd', -1],
    ['a woman', 'on an old radio', 'lofi', 1],
  ] as const)('starts a remix of "%s" from it: "%s" moves %s', (from, change, field, direction) => {
    const base = specs(from)[0]!;
    for (const spec of specs(change, { base, guidanceScale: 2 })) {
      expect(spec.voice).toBe(base.voice);
      expect(Math.sign(spec[field] - base[field])).toBe(direction);
    }
  });

  it('keeps the rest of a voice when a remix changes its gender', () => {
    const base = specs('a very breathy woman, slow')[0]!;
    const [changed] = specs('make it a man', { base });
    expect(changed).toMatchObject({ voice: 'rms', breath: base.breath });
    expect(changed!.stretch).toBeGreaterThan(1.1);
  });

  it('keeps previews closer together the more guidance is requested', () => {
    const range = (guidanceScale: number) => {
      const pitches = specs('a woman', { guidanceScale }).map(({ f0 }) => f0);
      return Math.max(...pitches) / Math.min(...pitches);
    };
    expect(range(0)).toBeGreaterThan(range(100));
    expect(range(100)).toBeGreaterThan(1.05);
  });

  it('stays plain JSON within bounds, also after many changes', () => {
    const words = [
      'much deeper',
      'way higher',
      'much slower',
      'very fast',
      'older',
      'younger',
      'tiny',
      'giant',
      'male',
    ];
    const change = fc.constantFrom(
      ...words,
      'female',
      'robotic',
      'whispering',
      'gravelly',
      'nasal',
      'dark',
      'shrill',
    );
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), fc.integer(), (changes, seed) => {
        let [spec] = specs('a voice', { seed });
        for (const each of changes) [spec] = specs(each, { base: spec, seed, guidanceScale: 2 });
        expect(JSON.parse(JSON.stringify(spec))).toEqual(spec);
        expect(spec!.alpha).toBeGreaterThanOrEqual(0.78);
        expect(spec!.alpha).toBeLessThanOrEqual(1.3);
        expect(spec!.f0).toBeGreaterThanOrEqual(65);
        expect(spec!.f0).toBeLessThanOrEqual(380);
        expect(spec!.stretch).toBeGreaterThanOrEqual(0.62);
        expect(spec!.stretch).toBeLessThanOrEqual(1.7);
        expect(spec!.breath).toBeLessThanOrEqual(2);
      }),
    );
  });
});
