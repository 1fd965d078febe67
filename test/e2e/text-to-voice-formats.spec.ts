import { OUTPUT_FORMATS, type OutputFormat } from '../../libs/audio/codecs/output-format';
import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { creditsUsed, previewsOf } from '../support/previews';
import { designBody } from '../support/samples';
import { Stack } from '../support/stack';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

const MEDIA_TYPES: Record<string, (rate: string) => string> = {
  mp3: () => 'audio/mpeg',
  pcm: (rate) => `audio/pcm;rate=${rate}`,
  ulaw: () => 'audio/basic',
  opus: () => 'audio/ogg',
  alaw: () => 'audio/x-alaw-basic',
};

const design = (secret: string, format: OutputFormat) =>
  stack.request('POST', `/v1/text-to-voice/design?output_format=${format}`, { secret, body: designBody() });

describe('200', () => {
  it.each(OUTPUT_FORMATS)('%s is what its label says, at its rate and length', async (format) => {
    const { secret } = await stack.issueKey({ tier: 'pro' });
    const [codec = '', rate = '', bitrate] = format.split('_');
    for (const preview of previewsOf(await design(secret, format))) {
      expect(preview.media_type).toBe(MEDIA_TYPES[codec]!(rate));
      const bytes = Buffer.from(preview.audio_base_64, 'base64');
      const audio = await decodeAudio(bytes, undefined, preview.media_type);
      expect(audio).toMatchObject({ sampleRate: Number(rate), channels: 1 });
      expect(audio.samples.length / audio.sampleRate).toBeCloseTo(preview.duration_secs, 1);
      const share = audio.bitrateKbps / Number(bitrate ?? audio.bitrateKbps);
      // Opus takes what the sound needs, and has the headers of Ogg.
      const [least, most] = codec === 'opus' ? [0.3, 1.3] : [0.95, 1.05];
      expect(share).toBeGreaterThan(least!);
      expect(share).toBeLessThan(most!);
      expect(Math.max(...audio.samples.subarray(0, 100_000))).toBeGreaterThan(0.05);
    }
  });
});

describe('403', () => {
  it.each([
    ['free', 'mp3_44100_192', 'creator'],
    ['starter', 'mp3_44100_192', 'creator'],
    ['creator', 'pcm_44100', 'pro'],
    ['creator', 'pcm_48000', 'pro'],
  ] as const)(
    'the tier %s requests %s, which begins with %s: nothing is charged',
    async (tier, format, needed) => {
      const { secret, keyId } = await stack.issueKey({ tier });
      const { status, body } = await design(secret, format);
      expect(status).toBe(403);
      expect(body.detail).toMatchObject({ code: 'feature_not_available', param: 'output_format' });
      expect(body.detail?.message).toContain(needed);
      expect(await creditsUsed(stack, keyId)).toBe(0);
    },
  );
});
