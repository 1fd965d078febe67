import type { RecordingMeasurements } from './recording-measurements';
import { explainReasons, REASON_TEXTS } from './recording-reasons';
import { againstTargets, type TargetedMeasurement } from './recording-targets';
import { STUDIO } from '../../../test/support/audio/studio-measurements';

describe('the numbers of a reason', () => {
  it.each<[keyof typeof REASON_TEXTS, TargetedMeasurement, Partial<RecordingMeasurements>]>([
    ['background_noise', 'snrDb', { snrDb: 31.6 }],
    ['signal_distortion', 'voicedHfDb', { voicedHfDb: -21.7 }],
    ['signal_distortion', 'voicedValleyDb', { voicedHfDb: null, voicedValleyDb: -40.2 }],
    ['reverberation', 'rt60Secs', { rt60Secs: 0.74 }],
    ['level_low', 'loudnessLufs', { loudnessLufs: -34 }],
    ['level_high', 'truePeakDb', { loudnessLufs: -20, truePeakDb: 1.2 }],
    ['mains_hum', 'humDb', { humDb: -21 }],
    ['too_short', 'speechSecs', { speechSecs: 1.4 }],
  ])('of %s has the value and the target of the bar of %s beneath it', (code, measurement, changes) => {
    const m = { ...STUDIO, ...changes };
    const sentence = REASON_TEXTS[code].numbers(m);
    const bar = againstTargets(m).find((each) => each.measurement === measurement)!;
    expect(bar.met).toBe(false);
    expect(sentence).toContain(`aim for ${bar.target}.`);
    const [said] = /-?\d+(?:\.\d+)?(?= (?:dB|dBTP|s|LUFS)\b)/.exec(sentence.replace('5 kHz', '')) ?? [];
    expect(Math.abs(Number(said) - bar.value!)).toBeLessThanOrEqual(0.5);
  });
});

describe('the sentence of a reason', () => {
  const at = (secs: number) => ({ fromSecs: secs, toSecs: secs + 0.1 });
  const troubled = {
    ...STUDIO,
    snrDb: -2,
    echoDb: -6,
    echoSecs: 0.25,
    secondVoiceShare: 0.1,
    tapsPer10Secs: 30,
    lostSecs: 1,
    places: {
      clipped: [at(3)],
      dropouts: [at(3), at(72)],
      clicks: [3, 4, 5, 6].map(at),
      tooQuiet: [],
      humHz: [],
    },
  };

  it.each(Object.keys(REASON_TEXTS) as (keyof typeof REASON_TEXTS)[])(
    'of %s is one sentence that says what to do, without decibels',
    (code) => {
      const sentence = REASON_TEXTS[code].sentence(troubled);
      const plain = sentence.replace(/\d\.\d s|44\.1 or 48 kHz/g, 'so much');
      expect(plain).toMatch(/^[A-Z][^.?!]+: [^.?!]+\.$/);
      expect(plain).not.toMatch(/\b(dB|LUFS|dBTP|re)\b|_/);
      expect(sentence.length).toBeLessThan(170);
    },
  );

  it('says where, and how often', () => {
    expect(REASON_TEXTS.clipping.sentence(troubled)).toContain(' at 0:03: ');
    expect(REASON_TEXTS.dropouts.sentence(troubled)).toContain(' at 0:03 and 1:12: ');
    expect(REASON_TEXTS.clicks.sentence(troubled)).toContain(' at 0:03, 0:04, 0:05 and 1 more place: ');
  });

  it('says how bad', () => {
    const noise = (snrDb: number) => REASON_TEXTS.background_noise.sentence({ ...STUDIO, snrDb });
    expect([44, 34, 10].map(noise)).toEqual(
      ['a little', 'clear', 'loud'].map((word) => expect.stringMatching(`^There is ${word} noise`) as string),
    );
  });

  it('has no noise that is a negative number below the speech', () => {
    expect(REASON_TEXTS.background_noise.numbers(troubled)).toMatch(/^Noise 2\.0 dB above the speech/);
  });

  it('names the kind of a file that is not accepted', () => {
    const [reason] = explainReasons('undecodable_audio=an MP4/M4A file (AAC)', null);
    expect(reason).toMatchObject({ code: 'undecodable_audio', numbers: null });
    expect(reason!.sentence).toContain('because it is an MP4/M4A file (AAC): send a WAV');
    expect(explainReasons('undecodable_audio', null)[0]!.sentence).toMatch(/^The audio could not be read: /);
  });
});
