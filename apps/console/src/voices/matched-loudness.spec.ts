import { matchedVolumes } from './matched-loudness';

describe('matchedVolumes', () => {
  it('turns the louder ones down to the quietest, and nothing up', () => {
    const [loud, quiet] = matchedVolumes([-17, -23])!;
    expect(quiet).toBe(1);
    expect(loud).toBeCloseTo(0.501, 3);
  });

  it('is unknown when the loudness of one is', () => {
    expect(matchedVolumes([-20, null])).toBeNull();
  });
});
