import { Mp4OutputFormat, WebMOutputFormat, type OutputFormat } from 'mediabunny';
import { AudioThreads } from '../threads/audio-threads';
import { decodeAudio, inspectAudio, inspectHeader } from './decode-audio';
import { withIndexFirst } from './mp4-boxes';
import { packetFile } from '../../../test/support/audio/containers';
import { UndecodableAudioError } from './undecodable-audio.error';

const SECS = 2;
const recorded = (format: OutputFormat) => packetFile(format, SECS);

const FORMATS: [string, () => OutputFormat, 'webm' | 'mp4'][] = [
  ['WebM of a browser', () => new WebMOutputFormat(), 'webm'],
  ['MP4', () => new Mp4OutputFormat(), 'mp4'],
  ['MP4 in fragments', () => new Mp4OutputFormat({ fastStart: 'fragmented' }), 'mp4'],
];

const foundIn = async (bytes: Uint8Array) =>
  decodeAudio(bytes).then(
    () => null,
    (error: UndecodableAudioError) => error.found,
  );

describe.each(FORMATS)('%s', (_, format, container) => {
  let file: Uint8Array;
  beforeAll(async () => (file = await recorded(format())));

  it('is decoded like Ogg Opus', async () => {
    const decoded = await decodeAudio(file);
    expect(decoded).toMatchObject({ container, codec: 'opus', sampleRate: 48_000, channels: 1, lostSecs: 0 });
    expect(decoded.samples.length).toBe(SECS * 48_000 - 312);
    expect(inspectHeader(file)).toEqual({ container, durationSecs: null });
    expect((await inspectAudio(file)).durationSecs).toBeCloseTo(SECS, 1);
  });

  it('is damaged when it was cut off', async () => {
    const { samples, lostSecs } = await decodeAudio(file.subarray(0, Math.round(file.length * 0.6)));
    expect(samples.length).toBeLessThan(SECS * 48_000 * 0.75);
    expect(lostSecs).toBeGreaterThan(0.05);
  });

  it('is refused, or decoded in part, however it is damaged', async () => {
    let state = 7;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let n = 0; n < 60; n++) {
      const damaged = file.slice(0, random() < 0.3 ? Math.floor(random() * file.length) : undefined);
      for (let k = 0; k < 12; k++)
        damaged[Math.floor(random() * Math.min(900, damaged.length))] = random() * 256;
      const result = await decodeAudio(damaged).catch((error: unknown) => error);
      expect(result instanceof Error && !(result instanceof UndecodableAudioError)).toBe(false);
    }
  });
});

it('an index behind the sound, as telephones write it, is put in front of it', async () => {
  const file = await recorded(new Mp4OutputFormat({ fastStart: false }));
  const moved = withIndexFirst(file);
  const places = (bytes: Uint8Array) => ['moov', 'mdat'].map((box) => Buffer.from(bytes).indexOf(box));
  const [[index, sound], [movedIndex, movedSound]] = [places(file), places(moved)];
  expect(index).toBeGreaterThan(sound!);
  expect(movedIndex).toBeLessThan(movedSound!);
  expect((await decodeAudio(moved)).samples).toEqual((await decodeAudio(file)).samples);
  expect(withIndexFirst(moved)).toBe(moved);
});

describe('a hostile file', () => {
  const changed = async (
    box: string,
    change: (bytes: Buffer, at: number) => void,
    format = new Mp4OutputFormat(),
  ) => {
    const bytes = Buffer.from(await recorded(format));
    change(bytes, bytes.indexOf(box, 0, 'latin1'));
    return new Uint8Array(bytes);
  };
  const many = 0xffff_ffff;

  it.each<[string, () => Promise<Uint8Array>]>([
    ['a table of sizes', () => changed('stsz', (bytes, at) => bytes.writeUInt32BE(many, at + 12))],
    ['a table of times', () => changed('stts', (bytes, at) => bytes.writeUInt32BE(many, at + 12))],
    ['the entries of a table', () => changed('stts', (bytes, at) => bytes.writeUInt32BE(many, at + 8))],
    ['a table of chunks', () => changed('stsc', (bytes, at) => bytes.writeUInt32BE(many, at + 16))],
    [
      'a fragment',
      () =>
        changed(
          'trun',
          (bytes, at) => bytes.writeUInt32BE(many, at + 8),
          new Mp4OutputFormat({ fastStart: 'fragmented' }),
        ),
    ],
  ])('with four thousand million packets in %s is damaged', async (_, make) => {
    expect(await foundIn(await make())).toBe('an MP4/M4A file that is damaged');
  });

  it('with segments in segments is read up to the second', async () => {
    const file = Buffer.from(await recorded(new WebMOutputFormat()));
    const head = file.subarray(0, file.indexOf(Buffer.from([0x18, 0x53, 0x80, 0x67])));
    const segment = Buffer.from([0x18, 0x53, 0x80, 0x67, 1, 255, 255, 255, 255, 255, 255, 255]);
    const nested = Buffer.concat([head, ...Array<Buffer>(20_000).fill(segment)]);
    expect(await foundIn(new Uint8Array(nested))).toMatch(
      `a WebM/Matroska file that is read up to byte ${head.length + segment.length} of`,
    );
  });

  it('with junk in the place of its index is refused, and keeps no thread busy', async () => {
    const file = Buffer.from(await recorded(new WebMOutputFormat()));
    file.fill(0x11, file.lastIndexOf(Buffer.from([0x1c, 0x53, 0xbb, 0x6b])));
    const threads = new AudioThreads({ threads: 1, taskTimeoutMs: 10_000 });
    try {
      const inspecting = threads.inspect(async () => new Uint8Array(file));
      await expect(inspecting).rejects.toThrow(/read up to byte \d+ of \d+ and followed by \d+ bytes/);
    } finally {
      await threads.close();
    }
  });

  it.each([
    ['boxes without a size', Buffer.alloc(1_000_000)],
    [
      'a hundred thousand empty boxes',
      Buffer.concat(Array<Buffer>(100_000).fill(Buffer.from('\0\0\0\bfree', 'latin1'))),
    ],
  ])('of %s has no sound', async (_, boxes) => {
    const file = Buffer.concat([Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1'), boxes]);
    expect(await foundIn(new Uint8Array(file))).toMatch(
      /^an MP4\/M4A file (that is damaged|without any sound in it)$/,
    );
  });
});
