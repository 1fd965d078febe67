import { againstTargets, targetOf } from './recording-targets';

describe('againstTargets', () => {
  const find = (name: string, m: object) =>
    againstTargets(m).find(({ measurement }) => measurement === name)!;

  it.each([
    ['snrDb', { snrDb: 50 }, true],
    ['snrDb', { snrDb: 49.9 }, false],
    ['loudnessLufs', { loudnessLufs: -20 }, true],
    ['loudnessLufs', { loudnessLufs: -17 }, false],
    ['humDb', { humDb: null }, null],
    ['rt60Secs', {}, null],
  ])('%s of %j meets its target: %s', (name, m, met) => {
    expect(find(name, m).met).toBe(met);
  });

  it('says what to aim for in words', () => {
    expect(targetOf('loudnessLufs')).toBe('-23 to -18 LUFS');
    expect(targetOf('snrDb')).toBe('50 dB or more');
    expect(targetOf('clippedRatio')).toBe('0.00002 or less');
  });
});
