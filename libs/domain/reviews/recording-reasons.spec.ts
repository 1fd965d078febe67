import type { RecordingMeasurements } from './recording-measurements';
import { REASON_TEXTS } from './recording-reasons';
import { againstTargets, type TargetedMeasurement } from './recording-targets';
import { STUDIO } from './spec-measurements';

describe('the sentence of a reason', () => {
  it.each<[keyof typeof REASON_TEXTS, TargetedMeasurement, Partial<RecordingMeasurements>]>([
    ['background_noise', 'snrDb', { snrDb: 31.6 }],
    ['signal_distortion', 'voicedHfDb', { voicedHfDb: -21.7 }],
    ['signal_distortion', 'voicedValleyDb', { voicedHfDb: null, voicedValleyDb: -40.2 }],
    ['reverberation', 'rt60Secs', { rt60Secs: 0.74 }],
    ['level_low', 'loudnessLufs', { loudnessLufs: -34 }],
    ['level_high', 'truePeakDb', { loudnessLufs: -20, truePeakDb: 1.2 }],
    ['too_short', 'speechSecs', { speechSecs: 1.4 }],
  ])('of %s has the value and the target of the bar of %s beneath it', (code, measurement, changes) => {
    const m = { ...STUDIO, ...changes };
    const sentence = REASON_TEXTS[code].sentence(m);
    const bar = againstTargets(m).find((each) => each.measurement === measurement)!;
    expect(bar.met).toBe(false);
    expect(sentence).toContain(`aim for ${bar.target}.`);
    const [said] = /-?\d+(?:\.\d+)?(?= (?:dB|s|LUFS)\b)/.exec(sentence.replace('5 kHz', '')) ?? [];
    expect(Math.abs(Number(said) - bar.value!)).toBeLessThanOrEqual(0.5);
  });
});
