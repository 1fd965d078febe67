import { WebMOutputFormat, Mp4OutputFormat } from 'mediabunny';
import { bytesOf, joined, noise, sine, wavFile, wavOf } from '../../../test/support/audio/signals';
import type { Container } from './container';
import { decodeAudio, inspectAudio } from './decode-audio';
import { encodeAudio } from './encode-audio';
import { Mp3Stream } from './mp3-stream';
import { recordingIn } from './recording-extent';
import {
  adtsFile,
  aiffFile,
  amrFile,
  flacFile,
  oggFlacFile,
  packetFile,
  silentFlac,
  vorbisFile,
  wmaFile,
} from '../../../test/support/audio/containers';
import { UndecodableAudioError } from './undecodable-audio.error';

const RATE = 48_000;
const SPEECH = sine(220, { secs: 1, sampleRate: RATE, amplitude: 0.4 });
/** What a review must not miss. */
const NOISE = noise(1.5, RATE, 0.1);
const PCM16 = (samples: Float32Array) => Int16Array.from(samples, (x) => x * 32_767);

type Make = (samples: Float32Array) => Uint8Array | Promise<Uint8Array>;

/** What Greenroom decodes. */
const OWN: [string, Make][] = [
  ['wav', (samples) => wavOf(samples, RATE)],
  ['wav of 8 kHz', (samples) => wavFile(bytesOf(PCM16(samples.slice(0, 4_000))), { sampleRate: 8_000 })],
  ['mp3', async (samples) => (await encodeAudio({ samples, sampleRate: RATE }, 'mp3_44100_128')).bytes],
  ['mp3 without a count', async (samples) => (await Mp3Stream.open(RATE, 128)).encode(samples, true)],
  ['flac', (samples) => flacFile(PCM16(samples), RATE)],
  ['ogg-flac', (samples) => oggFlacFile(PCM16(samples), RATE)],
  ['ogg-vorbis', (samples) => vorbisFile([samples], RATE)],
  ['ogg-opus', async (samples) => (await encodeAudio({ samples, sampleRate: RATE }, 'opus_48000_64')).bytes],
  ['webm', (samples) => packetFile(new WebMOutputFormat(), samples.length / RATE)],
  ['mp4', (samples) => packetFile(new Mp4OutputFormat(), samples.length / RATE)],
  [
    'mp4 in fragments',
    (samples) => packetFile(new Mp4OutputFormat({ fastStart: 'fragmented' }), samples.length / RATE),
  ],
];

/** What only an ffmpeg decodes, which gets what `recordingIn` finds. */
const FOREIGN: [Container, Uint8Array][] = [
  ['amr', amrFile()],
  ['adts', adtsFile()],
  ['aiff', aiffFile()],
  ['wma', wmaFile()],
];

const JUNK = Buffer.from(bytesOf(PCM16(NOISE)));
const ID3V1 = Buffer.from('TAG' + 'A title'.padEnd(125, '\0'), 'latin1');
const APE = Buffer.concat([
  apeMark(0xa000_0000),
  Buffer.from('\x05\0\0\0\0\0\0\0Title\0Hello', 'latin1'),
  apeMark(0x8000_0000),
]);

/** Of a tag of one item with 19 bytes, before and behind it. */
function apeMark(flags: number): Buffer {
  const mark = Buffer.alloc(32);
  mark.write('APETAGEX', 'latin1');
  mark.writeUInt32LE(2_000, 8);
  mark.writeUInt32LE(32 + 19, 12);
  mark.writeUInt32LE(1, 16);
  mark.writeUInt32LE(flags, 20);
  return mark;
}

let own: { name: string; first: Uint8Array; second: Uint8Array }[];
const secsOf = new Map<Uint8Array, number>();

beforeAll(async () => {
  // The decoders print every damaged frame.
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
  own = await Promise.all(
    OWN.map(async ([name, make]) => ({ name, first: await make(SPEECH), second: await make(NOISE) })),
  );
  for (const { first, second } of own)
    for (const file of [first, second]) secsOf.set(file, (await inspectAudio(file)).durationSecs);
});

const errorOf = (error: unknown) => {
  expect(error).toBeInstanceOf(UndecodableAudioError);
  return (error as UndecodableAudioError).found;
};

/** Whether all of a joined file was measured; otherwise what it is refused for. */
async function outcome(first: Uint8Array, second: Uint8Array, secondSecs: number): Promise<string> {
  const file = Buffer.concat([first, second]);
  const whole = secsOf.get(first)! + secondSecs - 0.1;
  const inspected = await inspectAudio(file).then(({ durationSecs }) => durationSecs, errorOf);
  const decoded = await decodeAudio(file).then(
    ({ samples, sampleRate }) => samples.length / sampleRate,
    errorOf,
  );
  if (typeof decoded === 'number' && decoded < whole) return `decoded ${decoded} of ${whole} s`;
  if (typeof inspected === 'string') return inspected;
  return inspected < whole ? `inspected ${inspected} of ${whole} s` : 'all of it';
}

const NAMES = OWN.map(([name]) => name);
const REFUSED =
  /^an? .+ (that is read up to byte \d+ of \d+ and followed by .+|that holds [\d.]+ seconds of sound where its header claims [\d.]+)$/;

describe.each(NAMES)(
  '%s with something behind it is decoded to its end, or refused with the place:',
  (name) => {
    const first = () => own.find((file) => file.name === name)!.first;

    it.each(NAMES)('%s', async (other) => {
      const { second } = own.find((file) => file.name === other)!;
      expect(await outcome(first(), second, secsOf.get(second)!)).toMatch(
        new RegExp(`^all of it$|${REFUSED.source}`),
      );
    });

    it.each(FOREIGN)('%s', async (_, other) => {
      expect(await outcome(first(), other, 1)).toMatch(REFUSED);
    });

    it('junk', async () => expect(await outcome(first(), JUNK, 1.5)).toMatch(REFUSED));

    it('four bytes of junk', async () =>
      expect(await outcome(first(), Buffer.from('\x07\x81\x93\xa1', 'latin1'), 1)).toMatch(REFUSED));

    it.each([
      ['zeros', Buffer.alloc(5_000)],
      ['an ID3v1 tag', ID3V1],
      ['an APE tag', APE],
      ['an APE tag before an ID3v1 tag', Buffer.concat([APE, ID3V1])],
      ['zeros before an ID3v1 tag', Buffer.concat([Buffer.alloc(1_000), ID3V1])],
    ])('%s, which is known and nothing else', async (_, tail) => {
      const file = Buffer.concat([first(), tail]);
      expect((await inspectAudio(file)).durationSecs).toBe(secsOf.get(first()));
      expect((await decodeAudio(file)).lostSecs).toBe(0);
    });
  },
);

describe.each(FOREIGN)('%s, before an ffmpeg has it', (container, first) => {
  const found = (...tail: Uint8Array[]) => recordingIn(Buffer.concat([first, ...tail]), container);

  it('is whole', () => expect(found()).toEqual(Buffer.from(first)));

  it.each([...NAMES])('is refused with %s behind it', (name) => {
    const { second } = own.find((file) => file.name === name)!;
    expect(() => found(second)).toThrow(/is read up to byte \d+ of \d+ and followed by .+/);
  });

  it.each([...FOREIGN.filter(([other]) => other !== container), ['junk', JUNK] as const])(
    'is refused with %s behind it',
    (_, second) => expect(() => found(second)).toThrow(/is read up to byte \d+ of \d+ and followed by .+/),
  );

  it.each([Buffer.alloc(100), ID3V1, APE])('is read without zeros and tags', (tail) =>
    expect(found(tail)).toEqual(Buffer.from(first)),
  );
});

it('a part of another kind in the middle of MP3 frames is refused, not left out', async () => {
  const stereo = Buffer.from((await Mp3Stream.open(RATE, 128)).encode(NOISE, true));
  // The mode of each frame: stereo.
  for (let at = 0; at < stereo.length; at += 384) stereo[at + 3] = stereo[at + 3]! & 0x3f;
  const mono = (await Mp3Stream.open(RATE, 128)).encode(SPEECH, true);
  expect(await outcome(mono, stereo, 1.5)).toMatch(REFUSED);
});

it('zeros behind a FLAC file are no other part of it, however many', async () => {
  const { first } = own.find(({ name }) => name === 'flac')!;
  expect((await inspectAudio(Buffer.concat([first, Buffer.alloc(300_000)]))).durationSecs).toBe(
    secsOf.get(first),
  );
});

it('behind the last frame of a FLAC file, no other is looked for', async () => {
  const first = Buffer.from(silentFlac(599));
  const ends = `read up to byte ${first.length} of \\d+ and followed by a FLAC file`;
  const secsToRefuse = async (file: Uint8Array) => {
    const before = process.cpuUsage();
    expect(await inspectAudio(file).then(() => 'all of it', errorOf)).toMatch(new RegExp(ends));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000_000;
  };
  const two = await secsToRefuse(Buffer.concat([first, first]));
  // Three times as long, measured; thirty times where each header is tried as the end of that frame.
  expect(await secsToRefuse(Buffer.concat(Array<Buffer>(100).fill(first)))).toBeLessThan(10 * two);
});

it('two WAV chunks of samples are refused', async () => {
  const data = bytesOf(PCM16(joined(NOISE, NOISE)));
  const chunk = Buffer.concat([Buffer.from('data\0\0\0\0', 'latin1'), data]);
  chunk.writeUInt32LE(data.length, 4);
  const wav = wavOf(SPEECH, RATE);
  secsOf.set(wav, 1);
  expect(await outcome(wav, chunk, 3)).toMatch(REFUSED);
});
