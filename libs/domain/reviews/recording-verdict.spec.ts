import * as fc from 'fast-check';
import { RecordingMeasurements } from './recording-measurements';
import {
  CURRENT_RULESET,
  LISTENER_RULESET,
  RULESET_IDS,
  rulesetOf,
  type RulesetId,
} from './recording-rulesets';
import { decideRecording, undecodableVerdict } from './recording-verdict';
import type { RecordingGrade } from './review-state';
import { STUDIO } from '../../../test/support/audio/studio-measurements';

const GRADES: RecordingGrade[] = ['bad', 'poor', 'ok', 'good', 'studio'];
const decide = (change: Partial<RecordingMeasurements> = {}) => decideRecording({ ...STUDIO, ...change });

describe('decideRecording', () => {
  it('calls a clean full-band recording studio, within all targets', () => {
    expect(decide()).toEqual({
      score: 4.65,
      grade: 'studio',
      reasons: [],
      reasonText: 'within_targets',
      explanations: [],
      impairments: {},
      ruleset: CURRENT_RULESET,
      lowConfidence: false,
    });
  });

  it.each<[Partial<RecordingMeasurements>, RecordingGrade, string]>([
    [{ snrDb: 46 }, 'good', 'background_noise=46.0dB'],
    [{ snrDb: 36 }, 'ok', 'background_noise=36.0dB'],
    [{ snrDb: 16 }, 'poor', 'background_noise=16.0dB'],
    [{ snrDb: 5 }, 'bad', 'background_noise=5.0dB'],
    [{ voicedHfDb: -41 }, 'good', 'signal_distortion=-41.0dB'],
    [{ voicedHfDb: -26 }, 'ok', 'signal_distortion=-26.0dB'],
    [{ voicedHfDb: -16 }, 'bad', 'signal_distortion=-16.0dB'],
    [{ voicedHfDb: -35, sampleRateHz: 16_000 }, 'good', 'signal_distortion=-35.0dB'],
    [
      { voicedHfDb: null, hfContrastDb: null, voicedValleyDb: -44, pitchHz: 200 },
      'ok',
      'signal_distortion=-44.0dB',
    ],
    [
      { voicedHfDb: null, hfContrastDb: null, voicedValleyDb: -44, pitchHz: 110 },
      'good',
      'signal_distortion=-44.0dB',
    ],
    [{ unvoicedPeakinessDb: 4 }, 'ok', 'processing_artifacts=4.0dB'],
    [{ unvoicedPeakinessDb: null, rawValleyDb: -80 }, 'ok', 'noise_suppression=-80.0dB'],
    [{ bandwidthHz: 8000 }, 'good', 'narrow_bandwidth=8000Hz'],
    [{ bandwidthHz: 3400 }, 'poor', 'narrow_bandwidth=3400Hz'],
    [{ clippedRatio: 0.001 }, 'good', 'clipping=0.10%'],
    [{ clippedRatio: 0.02 }, 'poor', 'clipping=2.00%'],
    [{ saturatedShare: 0.5 }, 'ok', 'limiting=50%'],
    [{ rt60Secs: 0.6 }, 'ok', 'reverberation=0.60s'],
    [{ rt60Secs: 1.5 }, 'bad', 'reverberation=1.50s'],
    [{ humDb: -20, humProminenceDb: 30 }, 'poor', 'mains_hum=-20.0dB'],
    [{ rumbleDb: -20, noiseFloorDb: -80, loudnessLufs: -20 }, 'ok', 'rumble=0.0dB'],
    [{ loudnessLufs: -40 }, 'good', 'level_low=-40.0LUFS'],
    [{ loudnessLufs: -8 }, 'good', 'level_high=-8.0LUFS'],
    [{ dropoutsPer10Secs: 3 }, 'ok', 'dropouts=3.0/10s'],
    [{ clicksPer10Secs: 10 }, 'ok', 'clicks=10.0/10s'],
    [{ durationSecs: 8, lostSecs: 2 }, 'poor', 'damaged_file=2.0s'],
    [{ weakerChannelDb: -80, channelSumDb: 0 }, 'good', 'dead_channel=-80dB'],
    [{ weakerChannelDb: 0, channelSumDb: -60 }, 'ok', 'inverted_channel=-60dB'],
    [{ dcOffset: 0.1 }, 'ok', 'dc_offset=0.100FS'],
    [{ speechSecs: 0.8 }, 'poor', 'too_short=0.8s'],
    [{ speechSecs: 2.5 }, 'good', 'too_short=2.5s'],
    [{ truePeakDb: 0.6 }, 'good', 'level_high=0.6dBTP'],
    [{ bandwidthHz: 11900 }, 'good', 'narrow_bandwidth=11900Hz'],
  ])('%j is %s because of %s', (change, grade, reason) => {
    const verdict = decide(change);
    expect(verdict).toMatchObject({ grade, reasons: [reason], reasonText: reason });
    expect(verdict.explanations).toHaveLength(1);
  });

  it.each<[string, Partial<RecordingMeasurements>]>([
    ['no voiced sound', { voicedSecs: 0.2 }],
    ['a pitch that never moves', { pitchSpread: 0.01 }],
    ['a voice far below the noise', { snrDb: -9 }],
    ['held notes', { spectralChangeDb: 1 }],
    ['noise in bursts', { voicedSecs: 0, pitchHz: null, spectralChangeDb: 2.3 }],
  ])('finds no speech in %s, however clean', (_, change) => {
    expect(decide(change)).toMatchObject({
      grade: 'bad',
      score: 1,
      reasonText: expect.stringMatching(/^no_speech=/) as unknown,
    });
  });

  it.each<[string, Partial<RecordingMeasurements>]>([
    ['whispers', { voicedSecs: 0, pitchHz: null, pitchSpread: 0, spectralChangeDb: 4.5 }],
    ['a voice that noise covers', { voicedSecs: 0.1, snrDb: -9, spectralChangeDb: 3.2 }],
  ])('finds speech in %s, which the first version did not', (_, change) => {
    expect(decide(change).reasonText).not.toContain('no_speech');
    expect(decideRecording({ ...STUDIO, ...change }, 'greenroom-2026-11-1').reasonText).toContain(
      'no_speech',
    );
  });

  it('names at most four reasons, worst first', () => {
    const { reasons } = decide({
      snrDb: 16,
      rt60Secs: 0.4,
      loudnessLufs: -40,
      clippedRatio: 0.005,
      bandwidthHz: 5750,
    });
    expect(reasons).toEqual([
      'background_noise=16.0dB',
      'clipping=0.50%',
      'narrow_bandwidth=5750Hz',
      'level_low=-40.0LUFS',
    ]);
  });

  it('explains every reason in a sentence with what to aim for', () => {
    const { explanations } = decide({ snrDb: 24, rt60Secs: 0.5 });
    expect(explanations).toEqual([
      'There is loud noise behind the voice: record in a quieter place, nearer to the microphone. Background noise below speech: 24.0 dB; aim for 50 dB or more.',
      'The room echoes clearly: record in a furnished room, nearer to the microphone. Reverberation time: 0.50 s; aim for 0.3 s or less.',
    ]);
  });

  it('forgives a bright microphone: a high floor with fricatives far above it does not count as distortion', () => {
    expect(decide({ voicedHfDb: -35, hfContrastDb: 30 }).impairments.signal_distortion).toBeLessThan(0.25);
    expect(decide({ voicedHfDb: -35, hfContrastDb: 15 }).impairments.signal_distortion).toBeGreaterThan(1);
  });

  it('distortion that is forgiven for fricatives not far above it keeps from studio, and costs no points', () => {
    const distorted = { voicedHfDb: -41.5, hfContrastDb: 25.5 };
    expect(decide(distorted)).toMatchObject({ grade: 'good', reasonText: 'signal_distortion=-41.5dB' });
    expect(decideRecording({ ...STUDIO, ...distorted }, 'greenroom-2026-11-3').grade).toBe('studio');
    expect(decide(distorted).score).toBeGreaterThanOrEqual(4.3);
    expect(decide({ voicedHfDb: -41.5, hfContrastDb: 28 }).grade).toBe('studio');
  });

  it('noise of a recording of 16 kHz costs as much as 2 dB less of it at 48 kHz, but for telephone sound', () => {
    const noiseOf = (change: Partial<RecordingMeasurements>) => decide(change).impairments.background_noise;
    const wide = { sampleRateHz: 16_000, bandwidthHz: 8_000 };
    expect(noiseOf({ ...wide, snrDb: 24 })).toBeCloseTo(noiseOf({ snrDb: 26 })!, 5);
    const telephone = { sampleRateHz: 16_000, bandwidthHz: 3_800 };
    expect(noiseOf({ ...telephone, snrDb: 21.2 })).toBeCloseTo(noiseOf({ snrDb: 21.2 })!, 5);
  });

  it('counts clipped peaks once, not as limiting again', () => {
    const clipped = decide({ clippedRatio: 0.02, saturatedShare: 0.6 });
    expect(clipped.score).toBeCloseTo(decide({ clippedRatio: 0.02 }).score, 1);
  });

  it.each<[Partial<RecordingMeasurements>, boolean]>([
    [{}, false],
    [{ speechSecs: 2.9 }, true],
    [{ noiseMethod: 'quietest_moments' }, true],
    [{ noiseMethod: 'unknown', snrDb: null }, true],
    [{ noiseMethod: 'over_time' }, false],
  ])('%j has low confidence: %s', (change, low) => {
    expect(decide(change).lowConfidence).toBe(low);
  });

  it('gives undecodable audio the worst grade with its own reason', () => {
    expect(undecodableVerdict('a text file')).toMatchObject({
      grade: 'bad',
      score: 1,
      reasonText: 'undecodable_audio=a text file',
      explanations: [
        'The audio could not be read, because it is a text file: send a WAV, MP3, FLAC or Ogg file.',
      ],
    });
  });
});

describe('decideRecording, with a model of listeners', () => {
  const heard = (listenerScore: number | null | undefined, change: Partial<RecordingMeasurements> = {}) =>
    decideRecording({ ...STUDIO, ...change, listenerScore } as RecordingMeasurements, LISTENER_RULESET);
  const NOISY = { snrDb: 36 };

  it('differs from the standard rules by the share of the model alone', () => {
    const { listenerShare, ...rules } = rulesetOf(LISTENER_RULESET);
    const { id, title, summary } = rules;
    expect(listenerShare).toBe(0.5);
    expect(rulesetOf(CURRENT_RULESET)).toEqual({
      ...rules,
      id: CURRENT_RULESET,
      title: expect.not.stringMatching(title),
      summary: expect.not.stringMatching(summary),
      listenerShare: 0,
    });
    expect(id).toBe(LISTENER_RULESET);
  });

  it.each([null, undefined])('goes by the rules alone when the score is %s', (score) => {
    const { ruleset, ...verdict } = heard(score, NOISY);
    expect(ruleset).toBe(LISTENER_RULESET);
    expect(decide(NOISY)).toEqual({ ...verdict, ruleset: CURRENT_RULESET });
  });

  it('under rules without a share, no score changes anything', () => {
    expect(decide({ ...NOISY, listenerScore: 1.5 })).toEqual(decide(NOISY));
  });

  it.each([
    // The rules take 1.15 off for the noise, the model 4.65 - score: half of the squares of each.
    [4.65, 4.65 - Math.sqrt(1.15 ** 2 / 2)],
    [3.5, 3.5],
    [2.65, 4.65 - Math.sqrt((1.15 ** 2 + 4) / 2)],
  ])('noise with a score of %d is graded %d', (score, expected) => {
    expect(heard(score, NOISY).score).toBeCloseTo(expected, 2);
  });

  it('names a trouble that both hear with its measured value', () => {
    expect(heard(4.2, NOISY).reasons).toEqual(['background_noise=36.0dB']);
  });

  it('names the score when the model hears a trouble that no rule names', () => {
    const { reasons, explanations } = heard(2.9);
    expect(reasons).toEqual(['listener_score=2.9MOS']);
    expect(explanations).toEqual([
      'The recording sounds worse than its measurements explain: listen to it, and record it again if you hear why. A model of listeners gives it 2.9 of 5.',
    ]);
  });

  it('does not name what the model takes off clean recordings, unless nothing else does', () => {
    expect(heard(4.1, NOISY).reasons).toEqual(['background_noise=36.0dB']);
    expect(heard(4, { clippedRatio: 0.02 }).reasons).toEqual(['clipping=2.00%']);
    expect(heard(4.1)).toMatchObject({ grade: 'good', reasons: ['listener_score=4.1MOS'] });
  });

  it('leaves clipping, level and a narrow band to the rules', () => {
    for (const change of [{ clippedRatio: 0.02 }, { loudnessLufs: -40 }, { bandwidthHz: 3_400 }])
      expect(heard(4.65, change).score).toBe(decide(change).score);
  });

  it('takes the part of a narrow band out of the score of the model', () => {
    const NARROW = { bandwidthHz: 3_400 };
    const impairment = decide(NARROW).impairments.narrow_bandwidth!;
    expect(heard(4.65 - 0.6 * impairment, NARROW).score).toBe(decide(NARROW).score);
    expect(heard(4.65 - 0.8 * impairment, NARROW).score).toBeLessThan(decide(NARROW).score);
  });
});

describe('decideRecording, for any measurements', () => {
  const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
  const anything = fc.record<RecordingMeasurements>({
    durationSecs: number(0, 600),
    sampleRateHz: fc.constantFrom(8000, 16000, 44100, 48000),
    loudnessLufs: fc.option(number(-80, 5)),
    loudnessRangeLu: fc.option(number(0, 30)),
    truePeakDb: number(-100, 18),
    rmsDb: number(-200, 0),
    dcOffset: number(0, 1),
    clippedRatio: number(0, 1),
    saturatedShare: number(0, 1),
    dropoutsPer10Secs: number(0, 100),
    noiseFloorDb: fc.option(number(-120, 0)),
    rumbleDb: fc.option(number(-120, 0)),
    snrDb: fc.option(number(-17, 100)),
    noiseMethod: fc.constantFrom('pauses', 'over_time', 'quietest_moments', 'unknown'),
    spectralChangeDb: fc.option(number(0, 12)),
    clicksPer10Secs: number(0, 100),
    lostSecs: number(0, 600),
    weakerChannelDb: fc.option(number(-200, 0)),
    channelSumDb: fc.option(number(-200, 3)),
    voicedHfDb: fc.option(number(-90, 0)),
    hfContrastDb: fc.option(number(0, 60)),
    voicedValleyDb: fc.option(number(-90, -10)),
    unvoicedPeakinessDb: fc.option(number(0, 20)),
    rawValleyDb: fc.option(number(-120, -10)),
    humDb: fc.option(number(-90, 10)),
    humProminenceDb: number(0, 60),
    rt60Secs: fc.option(number(0, 3)),
    bandwidthHz: number(0, 48000),
    edgeDropDb: number(0, 100),
    speechSecs: number(0, 600),
    speechRatio: number(0, 1),
    voicedSecs: number(0, 600),
    pitchHz: fc.option(number(60, 420)),
    pitchSpread: number(0, 1),
    listenerScore: fc.option(number(1, 5)),
  });

  it.each(RULESET_IDS)('the score of %s is 1 to 5, the grade fits it, the reasons explain it', (ruleset) => {
    fc.assert(
      fc.property(anything, (m) => {
        const { score, grade, reasons, reasonText, explanations } = decideRecording(m, ruleset);
        expect(score).toBeGreaterThanOrEqual(1);
        expect(score).toBeLessThanOrEqual(4.65);
        expect(reasons.length).toBeLessThanOrEqual(4);
        expect(explanations).toHaveLength(reasons.length);
        expect(reasonText).toBe(reasons.length === 0 ? 'within_targets' : reasons.join('; '));
        expect(reasons.length === 0).toBe(grade === 'studio');
        for (const reason of reasons)
          expect(reason).toMatch(/^[a-z_]+=-?\d+(\.\d+)?(dB|dBTP|Hz|%|s|LUFS|FS|\/10s|MOS)$/);
        for (const sentence of explanations) expect(sentence).not.toMatch(/\?|NaN|null|undefined/);
      }),
      { numRuns: 500 },
    );
  });

  const rank = (m: RecordingMeasurements, ruleset: RulesetId) =>
    GRADES.indexOf(decideRecording(m, ruleset).grade);

  it('the strict rules never give a better grade than the standard ones, the telephone rules never a worse one', () => {
    fc.assert(
      fc.property(anything, (m) => {
        expect(rank(m, 'greenroom-2026-11-strict-4')).toBeLessThanOrEqual(rank(m, CURRENT_RULESET));
        expect(rank(m, 'greenroom-2026-11-telephone-4')).toBeGreaterThanOrEqual(rank(m, CURRENT_RULESET));
      }),
      { numRuns: 1_000 },
    );
  });

  const worse: [keyof RecordingMeasurements, (value: number, step: number) => number][] = [
    ['snrDb', (value, step) => value - step],
    ['voicedHfDb', (value, step) => value + step],
    ['voicedValleyDb', (value, step) => value + step],
    ['unvoicedPeakinessDb', (value, step) => value + step / 5],
    ['rawValleyDb', (value, step) => value - step],
    ['hfContrastDb', (value, step) => value - step],
    ['bandwidthHz', (value, step) => value - step * 200],
    ['clippedRatio', (value, step) => value + step / 50],
    ['saturatedShare', (value, step) => value + step / 50],
    ['rt60Secs', (value, step) => value + step / 20],
    ['humDb', (value, step) => value + step],
    ['rumbleDb', (value, step) => value + step],
    ['dropoutsPer10Secs', (value, step) => value + step],
    ['clicksPer10Secs', (value, step) => value + step],
    ['lostSecs', (value, step) => value + step],
    ['weakerChannelDb', (value, step) => value - step],
    ['channelSumDb', (value, step) => value - step],
    ['dcOffset', (value, step) => value + step / 100],
    ['speechSecs', (value, step) => value - step],
    ['listenerScore', (value, step) => value - step / 10],
  ];

  const byRuleset = [CURRENT_RULESET, LISTENER_RULESET].flatMap((ruleset) =>
    worse.map(([key, worsen]) => ({ ruleset, key, worsen })),
  );

  it.each(byRuleset)(
    '$ruleset: a worse $key never gives a better score or grade',
    ({ ruleset, key, worsen }) => {
      fc.assert(
        fc.property(anything, number(0, 30), (m, step) => {
          const value = m[key];
          fc.pre(typeof value === 'number');
          const decided = (input: RecordingMeasurements) => decideRecording(input, ruleset);
          const [before, after] = [decided(m), decided({ ...m, [key]: worsen(value, step) })];
          expect(after.score).toBeLessThanOrEqual(before.score);
          expect(GRADES.indexOf(after.grade)).toBeLessThanOrEqual(GRADES.indexOf(before.grade));
        }),
        { numRuns: 300 },
      );
    },
  );

  it('the further the loudness is from speech at -20 LUFS, the lower the score', () => {
    fc.assert(
      fc.property(
        anything,
        number(0, 40),
        number(0, 20),
        fc.constantFrom(-1, 1),
        (m, distance, step, side) => {
          const at = (loudnessLufs: number) => decideRecording({ ...m, loudnessLufs }).score;
          expect(at(-20 + side * (distance + step))).toBeLessThanOrEqual(at(-20 + side * distance));
        },
      ),
    );
  });
});
