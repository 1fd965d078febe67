import { decodeAudio } from '../codecs/decode-audio';
import { encodeAudio } from '../codecs/encode-audio';
import { resample } from '../signal/resample';
import { joined, mixed, noise, scaled, sine, speechLike } from '../../../test/support/audio/signals';
import { compareFingerprints, SAME_BELOW } from './compare-fingerprints';
import { fingerprintRecording } from './recording-fingerprint';

const RATE = 44_100;
const SPEECH = speechLike(5, RATE, { level: 0.1, seed: 11 });
const own = fingerprintRecording(SPEECH, RATE);
const similarity = (samples: Float32Array, sampleRate = RATE) =>
  compareFingerprints(fingerprintRecording(samples, sampleRate).steps, own.steps);
const shared = (lookups: Int32Array) => lookups.filter((key) => own.keys.includes(key)).length;

describe('the fingerprint of a recording', () => {
  it.each(['mp3_44100_64', 'mp3_22050_32'] as const)('stays when it is encoded as %s', async (format) => {
    const { bytes } = await encodeAudio({ samples: SPEECH, sampleRate: RATE }, format);
    const { samples, sampleRate } = await decodeAudio(bytes);
    const copy = fingerprintRecording(samples, sampleRate);
    expect(compareFingerprints(copy.steps, own.steps)!.bitErrorRate).toBeLessThan(0.15);
    expect(shared(copy.lookups)).toBeGreaterThan(3);
  });

  it('stays on a telephone line, at another level, and after a second of silence', () => {
    const telephone = resample(SPEECH, RATE, 8_000).map((x) => Math.round(x * 127) / 127);
    expect(similarity(telephone, 8_000)!.bitErrorRate).toBeLessThan(0.25);
    expect(similarity(scaled(SPEECH, 0.05))!.bitErrorRate).toBeLessThan(0.01);
    expect(similarity(joined(new Float32Array(RATE), SPEECH))!.bitErrorRate).toBeLessThan(0.1);
  });

  it('is another one for another recording of the same voice', () => {
    for (const seed of [12, 13, 14]) {
      const other = similarity(speechLike(5, RATE, { level: 0.1, seed }));
      expect(other?.bitErrorRate ?? 1).toBeGreaterThan(SAME_BELOW);
    }
  });

  it('says nothing of silence, of noise and of what is over at once', () => {
    expect(fingerprintRecording(new Float32Array(RATE), RATE).keys).toHaveLength(0);
    expect(fingerprintRecording(new Float32Array(0), RATE).steps).toHaveLength(0);
    expect(similarity(new Float32Array(5 * RATE))).toBeNull();
    expect(similarity(SPEECH.subarray(0, RATE / 2))).toBeNull();
    expect(similarity(noise(5, RATE, 0.1))?.bitErrorRate ?? 1).toBeGreaterThan(SAME_BELOW);
  });

  it('of a steady sound says nothing, and is compared in a moment', () => {
    const tone = sine(700, { secs: 60, sampleRate: 8_000, amplitude: 0.3 });
    const { steps } = fingerprintRecording(tone, 8_000);
    const steady = new Uint32Array(10_000).fill(7);
    const startedAt = performance.now();
    expect(compareFingerprints(steady, steady)).toBeNull();
    compareFingerprints(steps, steps);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('is found by its speech beside a steady sound', () => {
    const tone = sine(700, { secs: 5, sampleRate: RATE, amplitude: 0.3 });
    expect(similarity(joined(tone, SPEECH, tone))!.bitErrorRate).toBeLessThan(0.1);
  });

  it('stays under noise that is 20 dB below', () => {
    expect(similarity(mixed(SPEECH, noise(5, RATE, 0.01)))!.bitErrorRate).toBeLessThan(0.3);
  });
});
