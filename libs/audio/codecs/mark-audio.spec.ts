import { speechLike } from '../../../test/support/audio/signals';
import { decodeAudio, inspectAudio } from './decode-audio';
import { encodeAudio } from './encode-audio';
import { openStream } from './audio-stream';
import { cutAudio } from './cut-audio';
import { markAudio } from './mark-audio';
import { type OutputFormat } from './output-format';

const RATE = 44_100;
const SPEECH = { samples: speechLike(1, RATE, { level: 0.1, seed: 3 }), sampleRate: RATE };
const TEXTS = ['machine-made; id=an even one', 'machine-made; id=an odd one'];

describe.each(['mp3_44100_128', 'mp3_22050_32', 'opus_48000_64', 'wav_16000'] as const)(
  'a mark in %s',
  (format) => {
    it.each(TEXTS)('is read, and leaves the sound as it is: %s', async (text) => {
      const { bytes, mediaType } = await encodeAudio(SPEECH, format);
      const marked = markAudio(bytes, mediaType, text);
      expect(Buffer.from(marked).includes(text)).toBe(true);
      const [before, after] = [await decodeAudio(bytes), await decodeAudio(marked)];
      expect(after.samples).toEqual(before.samples);
      expect(after.lostSecs).toBe(0);
      expect(await inspectAudio(marked)).toEqual(await inspectAudio(bytes));
      expect(Buffer.concat(cutAudio(marked, format, 5_000)).equals(marked)).toBe(true);
    });
  },
);

it.each(['pcm_16000', 'ulaw_8000', 'alaw_8000'] as const)(
  'bare samples stay as they are: %s',
  async (format) => {
    const { bytes, mediaType } = await encodeAudio(SPEECH, format);
    expect(markAudio(bytes, mediaType, TEXTS[0]!)).toBe(bytes);
  },
);

it.each(['mp3_44100_64', 'opus_48000_32'] satisfies OutputFormat[])(
  'the first part of a stream: %s',
  async (format) => {
    const samples = SPEECH.samples.subarray(0, 20_000);
    const parts = async () => {
      const stream = await openStream(format);
      return [stream.encode(samples, false), stream.encode(samples, true)].map(
        (part) => new Uint8Array(part),
      );
    };
    const mediaType = format.startsWith('mp3') ? 'audio/mpeg' : 'audio/ogg';
    const [first, second] = await parts();
    const marked = Buffer.concat([markAudio(first!, mediaType, TEXTS[0]!), second!]);
    const plain = await decodeAudio(Buffer.concat([first!, second!]));
    expect((await decodeAudio(marked)).samples).toEqual(plain.samples);
  },
);
