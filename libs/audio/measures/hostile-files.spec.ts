import { decideRecording } from '@app/domain/reviews/recording-verdict';
import { decodeAudio } from '../codecs/decode-audio';
import { encodeAudio } from '../codecs/encode-audio';
import { measureRecording } from './measure-recording';
import { flacFile, oggFile, silentOpus, vorbisFile } from '../../../test/support/audio/containers';
import { bytesOf, seededRandom, sine, wavFile } from '../../../test/support/audio/signals';
import { UndecodableAudioError } from '../codecs/undecodable-audio.error';

const LIMITS = { maxBytes: 1_000_000, maxSecs: 20 };
const TONE = sine(440, { secs: 0.4, sampleRate: 16000, amplitude: 0.4 });
const DAMAGED_PER_KIND = 40;

type Damage = (bytes: Uint8Array, random: () => number) => Uint8Array;

const at = (bytes: Uint8Array, random: () => number) => Math.floor(random() * bytes.length);

const DAMAGES: Damage[] = [
  function cut(bytes, random) {
    return bytes.slice(0, at(bytes, random));
  },
  function flipBytes(bytes, random) {
    const damaged = bytes.slice();
    for (let n = 0; n < 1 + random() * 30; n++) damaged[at(bytes, random)] = random() * 256;
    return damaged;
  },
  function lieInHeader(bytes, random) {
    const damaged = bytes.slice();
    for (let n = 0; n < 6; n++) damaged[Math.floor(random() * 64)] = random() < 0.5 ? 0xff : 0;
    return damaged;
  },
  function dropMiddle(bytes, random) {
    const from = at(bytes, random);
    return new Uint8Array(Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + at(bytes, random))]));
  },
  function repeatPiece(bytes, random) {
    const piece = bytes.subarray(at(bytes, random));
    return new Uint8Array(Buffer.concat([bytes, piece, piece, bytes]));
  },
  function noiseBehindMagic(bytes, random) {
    return bytes.map((byte, n) => (n < 48 ? byte : random() * 256));
  },
];

/** What is accepted stands behind it; what was found says more than that it was nothing. */
const CLEAR_REASON = /^Found [a-z0-9].{5,}\. Accepted: WAV .+\.$/i;

async function outcome(bytes: Uint8Array): Promise<string> {
  try {
    const { samples, sampleRate } = await decodeAudio(bytes, LIMITS);
    const sane = samples.every((x) => x >= -8 && x <= 8) && samples.length / sampleRate <= LIMITS.maxSecs;
    if (!sane) return 'insane';
    const { grade, reasonText, explanations } = decideRecording(
      await measureRecording({ samples, sampleRate }),
    );
    const explained = reasonText !== '' && (grade === 'studio' || explanations.length > 0);
    return explained ? 'graded' : 'graded without a reason';
  } catch (error) {
    if (!(error instanceof UndecodableAudioError)) return `failed: ${String(error)}`;
    return CLEAR_REASON.test(error.message) ? 'refused' : `unclear: ${error.message}`;
  }
}

beforeAll(() => {
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
});

describe('a review survives', () => {
  const originals: [string, () => Uint8Array | Promise<Uint8Array>][] = [
    ['WAV', () => wavFile(bytesOf(Int16Array.from(TONE, (x) => x * 32767)))],
    ['MP3', async () => (await encodeAudio({ samples: TONE, sampleRate: 16000 }, 'mp3_22050_32')).bytes],
    [
      'FLAC',
      () =>
        flacFile(
          Int16Array.from(TONE, (x) => x * 32767),
          16000,
        ),
    ],
    ['Vorbis', () => vorbisFile([TONE, TONE], 16000)],
    ['Opus', () => silentOpus(20)],
  ];

  it.each(originals)(
    `${DAMAGED_PER_KIND} damaged %s files: graded or refused, each with a clear reason, nothing else`,
    async (_, make) => {
      const original = await make();
      const random = seededRandom(2026);
      const bad: string[] = [];
      for (let n = 0; n < DAMAGED_PER_KIND; n++) {
        const damage = DAMAGES[n % DAMAGES.length]!;
        const result = await outcome(damage(original, random));
        if (result !== 'graded' && result !== 'refused') bad.push(`${n} ${damage.name} ${result}`);
      }
      expect(bad).toEqual([]);
    },
    60_000,
  );

  it.each<[string, () => Uint8Array]>([
    ['a WAV that claims 4 GB', () => wavFile(new Uint8Array(1000), { claimedBytes: 0xfffffff0 })],
    [
      'Opus packets of 120 ms in a byte each, two hours in 60 kB',
      () => silentOpus(2000, { frameCode: 0x9b }),
    ],
    [
      'an Ogg of nothing but headers',
      () => oggFile(Array<Uint8Array>(500).fill(Buffer.from('OpusHead\x01\x01')), []),
    ],
    ['an Ogg whose last page lies about its position', () => silentOpus(10).fill(0xff, -12)],
    ['a FLAC that claims a 700 kHz rate', () => flacFile(new Int16Array(5000), 700_000)],
    [
      'MP3 frame headers without frames',
      () => new Uint8Array(50_000).map((_, n) => [0xff, 0xfb, 0x90, 0xc4][n % 4]!),
    ],
    ['RIFF chunks that lead nowhere', () => wavFile(new Uint8Array(2000)).fill(0xff, 16, 20)],
    [
      'an ID3 tag longer than the file',
      () => Buffer.from('ID3\x04\x00\x00\x7f\x7f\x7f\x7f' + 'x'.repeat(500), 'latin1'),
    ],
  ])('%s, quickly and in little memory', async (_, make) => {
    const bytes = make();
    const before = process.memoryUsage().rss;
    const started = Date.now();
    expect(await outcome(bytes)).toMatch(/^(graded|refused)$/);
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(400e6);
  });
});
