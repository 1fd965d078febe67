import { decodeAudio } from './decode-audio';
import { encodeAudio } from './encode-audio';
import { mpegFrames } from './mpeg-frame';
import { OUTPUT_FORMATS, WHOLE_FORMATS } from './output-format';
import { sine } from '../../../test/support/audio/signals';

const OFFERED = WHOLE_FORMATS;
const MP3 = OUTPUT_FORMATS.filter((format) => format.startsWith('mp3'));

describe('encodeAudio', () => {
  it.each(OFFERED)('%s comes back as the same tone, at its rate, level and length', async (format) => {
    const pcm = { samples: sine(440, { secs: 1.3, sampleRate: 16000, amplitude: 0.5 }), sampleRate: 16000 };
    const encoded = await encodeAudio(pcm, format);
    const decoded = await decodeAudio(encoded.bytes, undefined, encoded.mediaType);
    expect(encoded.durationSecs).toBeCloseTo(1.3, 3);
    expect(decoded.sampleRate).toBe(Number(format.split('_')[1]));
    expect(decoded.samples.length / decoded.sampleRate).toBeCloseTo(1.3, 2);
    const expected = sine(440, { secs: 1.3, sampleRate: decoded.sampleRate, amplitude: 0.5 });
    const middle = expected.subarray(4000, -4000);
    const error =
      middle.reduce((sum, x, n) => sum + (x - decoded.samples[n + 4000]!) ** 2, 0) / middle.length;
    expect(10 * Math.log10(error / 0.125)).toBeLessThan(format === 'opus_48000_32' ? -20 : -30);
  });

  it.each(MP3)('%s has the promised bitrate in every frame of sound', async (format) => {
    const { bytes } = await encodeAudio({ samples: new Float32Array(44100), sampleRate: 44100 }, format);
    const [, ...frames] = mpegFrames(bytes, 0);
    expect(new Set(frames.map((f) => f.bitrateKbps))).toEqual(new Set([Number(format.split('_')[2])]));
    expect(new Set(frames.map((f) => f.sampleRate))).toEqual(new Set([Number(format.split('_')[1])]));
  });

  it('clips overshoot instead of wrapping it', async () => {
    const { bytes } = await encodeAudio(
      { samples: Float32Array.of(1.7, -1.7), sampleRate: 8000 },
      'pcm_8000',
    );
    expect([...new Int16Array(bytes.buffer)]).toEqual([32767, -32768]);
  });

  it('encodes an empty sound without failing', async () => {
    const { durationSecs } = await encodeAudio(
      { samples: new Float32Array(0), sampleRate: 8000 },
      'mp3_44100_128',
    );
    expect(durationSecs).toBe(0);
  });
});
