import { measureBandwidth } from '@app/audio/measures/bandwidth';
import { measureLoudness } from '@app/audio/measures/loudness';
import { Pcm } from '@app/audio/codecs/pcm';
import { cutSpeechFrames } from '@app/audio/signal/speech-frames';
import { meanSquare } from '@app/audio/signal/statistics';
import { findExtremes } from '@app/audio/signal/extremes';
import { measureTruePeak } from '@app/audio/measures/true-peak';
import { understandDescription } from './voice-description';
import { renderVoice } from './render-voice';
import { medianPitch, spectrumDistanceDb } from '../../test/support/audio/voice-measures';
import { SpecRequest, specsFor, VoiceSpec } from './voice-spec';

const TEXT = 'Nobody could say who had painted the door blue.';

function specs(description: string, options: Partial<SpecRequest> = {}): VoiceSpec[] {
  const { traits } = understandDescription(description);
  return specsFor({
    description,
    traits,
    seed: 7,
    loudness: 0.5,
    guidanceScale: 5,
    quality: null,
    ...options,
  });
}

function firstSpec(description: string, options: Partial<SpecRequest> = {}): VoiceSpec {
  return specs(description, options)[0]!;
}

describe('the same spec and text', () => {
  it('give the same samples, thirty times in a row', () => {
    const spec = firstSpec('a robotic and breathy gravelly voice on an old radio');
    const render = () => Buffer.from(renderVoice('Hello there.', spec).samples.buffer);
    const once = render();
    for (let run = 1; run < 30; run++) expect(render().equals(once)).toBe(true);
  });
});

describe('pitch', () => {
  it.each([
    ['a deep American man'],
    ['a deep British man'],
    ['a woman'],
    ['a high-pitched young girl'],
    ['a robot'],
  ])('lands within 8 %% of what was requested: %s', (description) => {
    const spec = firstSpec(description);
    const measured = medianPitch(renderVoice(TEXT, spec));
    expect(Math.abs(measured / spec.f0 - 1)).toBeLessThan(0.08);
  });
});

describe('a whisper', () => {
  it.each(['a whispering woman', 'a man who whispers', 'ASMR'])('has no voice: %s', async (description) => {
    for (const spec of specs(description)) {
      const voicedIn = async ({ breath }: { breath: number }) => {
        const { samples, sampleRate } = renderVoice(TEXT, { ...spec, breath });
        return (await cutSpeechFrames(samples, sampleRate)).voiced.length;
      };
      const plain = await voicedIn({ breath: 0 });
      expect(plain).toBeGreaterThan(50);
      expect(await voicedIn(spec)).toBeLessThan(plain / 5);
    }
  });
});

describe('a trembling voice', () => {
  it('swings in loudness about five times a second, and keeps its pitch and length', () => {
    const still = firstSpec('a woman');
    const shaky = firstSpec('a trembling woman');
    expect(shaky.tremor).toBe(1);
    const [before, after] = [still, { ...still, tremor: 1 }].map((spec) => renderVoice(TEXT, spec));
    expect(after!.samples.length).toBe(before!.samples.length);
    expect(medianPitch(after!) / medianPitch(before!)).toBeCloseTo(1, 1);
    expect(swingAt(5.5, before!, after!)).toBeGreaterThan(3 * swingAt(9, before!, after!));
  });
});

/** How strongly the loudness of one sound, relative to another of the same words, swings so many times a second. */
function swingAt(hz: number, before: Pcm, after: Pcm): number {
  const size = after.sampleRate / 50;
  let [re, im] = [0, 0];
  for (let at = 0; at + size <= after.samples.length; at += size) {
    const level = ({ samples }: Pcm) => meanSquare(samples.subarray(at, at + size)) + 1e-6;
    const ratio = Math.log(level(after) / level(before));
    const angle = (2 * Math.PI * hz * at) / after.sampleRate;
    re += ratio * Math.cos(angle);
    im += ratio * Math.sin(angle);
  }
  return Math.hypot(re, im);
}

describe('vocal tract', () => {
  it('moves without moving pitch or length', () => {
    const spec = firstSpec('a woman');
    const [small, large] = [1.2, 0.88].map((alpha) => renderVoice(TEXT, { ...spec, alpha }));
    expect(medianPitch(small!) / medianPitch(large!)).toBeCloseTo(1, 1);
    expect(small!.samples.length / large!.samples.length).toBeCloseTo(1, 1);
    expect(spectrumDistanceDb(small!, large!)).toBeGreaterThan(2);
  });
});

describe('loudness', () => {
  it.each([
    ['a calm woman', -1],
    ['a breathy woman', 0],
    ['a deep man', 0.5],
    ['an old radio', 0.5],
    ['a gravelly deep American man', 1],
    ['an excited woman', 1],
  ])('of "%s" at %d hits its target within 1 LU and stays below -1 dBTP', (description, loudness) => {
    const spec = firstSpec(description, { loudness });
    const { samples, sampleRate } = renderVoice(TEXT, spec);
    expect(spec.lufs).toBeCloseTo(-24 + 8 * loudness, 5);
    expect(Math.abs(measureLoudness([samples], sampleRate).integratedLufs! - spec.lufs)).toBeLessThan(1);
    expect(20 * Math.log10(measureTruePeak(samples, findExtremes(samples, sampleRate)))).toBeLessThan(-0.95);
  });
});

describe('bandwidth', () => {
  // What goes down a telephone line ends at 3.4 kHz; a recording of it is graded poor.
  it.each(['a man on an old radio', 'a woman over the phone', 'a 1940s newsreel announcer'])(
    'of "%s" reaches beyond a telephone line',
    (description) => {
      for (const spec of specs(description)) {
        expect(spec.lofi).toBe(1);
        const { samples, sampleRate } = renderVoice(TEXT, spec);
        expect(measureBandwidth(samples, sampleRate).edgeHz).toBeGreaterThan(6_000);
      }
    },
  );
});

describe('the three previews of one description', () => {
  it.each([
    ['A deep American male narrator with a serious tone'],
    ['A deep, gravelly old man'],
    ['A warm middle-aged British man'],
    ['A cheerful young American woman, fast and energetic'],
    ['A calm, soothing elderly woman'],
    ['A robotic assistant'],
    ['A little girl with a high-pitched voice'],
    ['A clear voice for my podcast'],
    ['An announcer on an old radio'],
  ])('can be distinguished: %s', (description) => {
    const sounds = specs(description).map((spec) => renderVoice(TEXT, spec));
    for (const [one, other] of pairs(sounds)) {
      const { semitones, spectrumDb, tempo } = distance(one, other);
      expect(semitones / 1.5 + spectrumDb / 3 + tempo / 0.1).toBeGreaterThan(1.5);
    }
  });
});

describe('a remix', () => {
  it.each([
    ['a woman', 'deeper and slower'],
    ['an American man', 'deeper and slower'],
    ['a British man', 'a lot deeper, slower'],
  ])('of "%s" that requests "%s" is measurably so in all three previews', (from, change) => {
    const base = firstSpec(from);
    const before = renderVoice(TEXT, base);
    for (const spec of specs(change, { base, guidanceScale: 2 })) {
      const after = renderVoice(TEXT, spec);
      expect(medianPitch(after)).toBeLessThan(medianPitch(before) * 0.93);
      expect(after.samples.length).toBeGreaterThan(before.samples.length * 1.08);
    }
  });
});

function distance(one: Pcm, other: Pcm): { semitones: number; spectrumDb: number; tempo: number } {
  return {
    semitones: Math.abs(12 * Math.log2(medianPitch(one) / medianPitch(other))),
    spectrumDb: spectrumDistanceDb(one, other),
    tempo: Math.abs(Math.log(one.samples.length / other.samples.length)),
  };
}

function pairs<T>([a, b, c]: T[]): [T, T][] {
  return [
    [a!, b!],
    [a!, c!],
    [b!, c!],
  ];
}
