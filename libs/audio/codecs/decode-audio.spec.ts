import { decodeAudio, inspectAudio, inspectHeader } from './decode-audio';
import { PcmCodec } from './decode-pcm';
import { encodeAudio } from './encode-audio';
import { Mp3Stream } from './mp3-stream';
import { encodeAlaw, encodeMulaw } from './g711';
import {
  flacFile,
  oggFlacFile,
  silentFlac,
  silentOpus,
  vorbisFile,
} from '../../../test/support/audio/containers';
import { bytesOf, joined, mixed, noise, sine, wavFile } from '../../../test/support/audio/signals';
import { UndecodableAudioError } from './undecodable-audio.error';

const TONE = sine(440, { secs: 0.5, sampleRate: 16000, amplitude: 0.4 });
const INT16 = Int16Array.from(TONE, (x) => Math.round(x * 32767));

function int24(samples: Float32Array): Uint8Array {
  const bytes = Buffer.alloc(samples.length * 3);
  samples.forEach((x, n) => bytes.writeIntLE(Math.round(x * 8388607), n * 3, 3));
  return bytes;
}

function interleaved(left: Float32Array, right: Float32Array): Uint8Array {
  return bytesOf(Float32Array.from({ length: left.length * 2 }, (_, n) => (n % 2 ? right : left)[n >> 1]!));
}

function errorDb(decoded: Float32Array, expected = TONE): number {
  const sum = expected.reduce((total, x, n) => total + (x - (decoded[n] ?? 0)) ** 2, 0);
  return 10 * Math.log10(sum / expected.length / 0.08 + 1e-12);
}

beforeAll(() => {
  // The decoders print every damaged frame.
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
});

describe('decodeAudio reads WAV', () => {
  const kinds: [PcmCodec, Uint8Array, { tag: number; bits: number }, number][] = [
    ['pcm_u8', Uint8Array.from(TONE, (x) => Math.round(x * 127) + 128), { tag: 1, bits: 8 }, -38],
    ['pcm_s16le', bytesOf(INT16), { tag: 1, bits: 16 }, -80],
    ['pcm_s24le', int24(TONE), { tag: 1, bits: 24 }, -100],
    ['pcm_s32le', bytesOf(Int32Array.from(TONE, (x) => x * 2147483647)), { tag: 1, bits: 32 }, -100],
    ['pcm_f32le', bytesOf(TONE), { tag: 3, bits: 32 }, -100],
    ['pcm_f64le', bytesOf(Float64Array.from(TONE)), { tag: 3, bits: 64 }, -100],
    ['pcm_mulaw', encodeMulaw(TONE), { tag: 7, bits: 8 }, -30],
    ['pcm_alaw', encodeAlaw(TONE), { tag: 6, bits: 8 }, -30],
  ];

  it.each(kinds)('%s, plain and extensible', async (codec, data, format, accuracyDb) => {
    for (const extensible of [false, true]) {
      const decoded = await decodeAudio(wavFile(data, { ...format, extensible }));
      expect(decoded).toMatchObject({ container: 'wav', codec, sampleRate: 16000, channels: 1 });
      expect(decoded.samples).toHaveLength(TONE.length);
      expect(errorDb(decoded.samples)).toBeLessThan(accuracyDb);
    }
  });

  it.each([0, 0xffffffff])(
    'that was never finished: a claimed size of %i means up to the end',
    async (claimedBytes) => {
      const decoded = await decodeAudio(wavFile(bytesOf(INT16), { claimedBytes }));
      expect(decoded.samples).toHaveLength(TONE.length);
    },
  );

  it('with other chunks before the samples', async () => {
    const file = Buffer.from(wavFile(bytesOf(INT16)));
    const list = Buffer.from('LIST\x05\x00\x00\x00INFOx\x00', 'latin1');
    const withList = Buffer.concat([file.subarray(0, 36), list, file.subarray(36)]);
    expect(errorDb((await decodeAudio(withList)).samples)).toBeLessThan(-80);
  });

  it('replaces what is not a number and limits absurd values', async () => {
    const { samples } = await decodeAudio(
      wavFile(bytesOf(Float32Array.of(NaN, Infinity, 1e30, 0.5)), { tag: 3, bits: 32 }),
    );
    expect([...samples]).toEqual([0, 0, 8, 0.5]);
  });
});

describe('decodeAudio makes two channels one', () => {
  const stereo = { tag: 3, bits: 32, channels: 2 };
  const other = noise(0.5, 16000, 0.05);

  it.each([
    ['equal channels stay as they are', TONE, TONE, TONE],
    ['nearly equal channels are averaged', TONE, TONE.map((x) => x * 0.95), TONE.map((x) => x * 0.975)],
    ['a silent channel does not halve the other', new Float32Array(TONE.length), TONE, TONE],
    ['opposite phase does not cancel', TONE, TONE.map((x) => -x * 0.99), TONE],
    ['of two different channels the louder is taken', other, TONE, TONE],
  ])('%s', async (_, left, right, expected) => {
    const decoded = await decodeAudio(wavFile(interleaved(left, right), stereo));
    expect(decoded.channels).toBe(2);
    expect(errorDb(decoded.samples, expected)).toBeLessThan(-90);
  });

  it.each([
    ['equal channels', TONE, TONE, 0, 3],
    ['a channel 20 dB below the other', TONE, TONE.map((x) => x / 10), -20, 0.8],
    ['a dead channel', new Float32Array(TONE.length), TONE, -200, 0],
    ['an inverted channel', TONE, TONE.map((x) => -x), 0, -200],
  ])('%s have their balance', async (_, left, right, weaker, sum) => {
    const { balance } = await decodeAudio(wavFile(interleaved(left, right), stereo));
    expect(balance!.weakerChannelDb).toBeCloseTo(weaker, 1);
    expect(balance!.channelSumDb).toBeCloseTo(sum, 1);
  });

  it('a long silence at the beginning does not decide for what follows', async () => {
    const silence = new Float32Array(45 * 16_000);
    const [left, right] = [joined(silence, other), joined(silence, TONE)];
    const decoded = await decodeAudio(wavFile(interleaved(left, right), stereo));
    expect(errorDb(decoded.samples, right)).toBeLessThan(-90);
    expect(decoded.balance!.weakerChannelDb).toBeLessThan(-10);
  });

  it('one channel has no balance, nor has silence', async () => {
    const silence = new Float32Array(TONE.length);
    expect((await decodeAudio(wavFile(bytesOf(TONE), { ...stereo, channels: 1 }))).balance).toBeNull();
    expect((await decodeAudio(wavFile(interleaved(silence, silence), stereo))).balance).toBeNull();
  });

  it('a mono MP3 keeps its level although it decodes to two channels', async () => {
    const { bytes } = await encodeAudio({ samples: TONE, sampleRate: 16000 }, 'mp3_44100_128');
    const decoded = await decodeAudio(bytes);
    const power = decoded.samples.reduce((sum, x) => sum + x * x, 0) / decoded.samples.length;
    expect(decoded).toMatchObject({ container: 'mp3', codec: 'mp3', channels: 1, sampleRate: 44100 });
    expect(10 * Math.log10(power / 0.08)).toBeCloseTo(0, 1);
  });
});

describe('decodeAudio reads', () => {
  it('FLAC, sample by sample', async () => {
    const decoded = await decodeAudio(flacFile(INT16, 16000));
    expect(decoded).toMatchObject({ container: 'flac', codec: 'flac', sampleRate: 16000, channels: 1 });
    expect(decoded.samples).toHaveLength(TONE.length);
    expect(errorDb(decoded.samples)).toBeLessThan(-80);
  });

  it.each([1, 2])('Ogg Vorbis with %i channels', async (channels) => {
    const decoded = await decodeAudio(await vorbisFile(Array<Float32Array>(channels).fill(TONE), 16000));
    expect(decoded).toMatchObject({ container: 'ogg-vorbis', codec: 'vorbis', sampleRate: 16000, channels });
    expect(decoded.samples.length / 16000).toBeCloseTo(0.5, 2);
    expect(errorDb(decoded.samples)).toBeLessThan(-20);
  });

  it('Ogg Opus, at 48 kHz', async () => {
    const decoded = await decodeAudio(silentOpus(50));
    expect(decoded).toMatchObject({ container: 'ogg-opus', codec: 'opus', sampleRate: 48000, channels: 1 });
    expect(decoded.samples.length / 48000).toBeCloseTo(1, 2);
  });

  it('an MP3 behind an ID3 tag', async () => {
    const { bytes } = await encodeAudio({ samples: TONE, sampleRate: 16000 }, 'mp3_22050_32');
    const tag = Buffer.concat([Buffer.from('ID3\x04\x00\x00\x00\x00\x02\x00', 'latin1'), Buffer.alloc(256)]);
    const decoded = await decodeAudio(Buffer.concat([tag, bytes]));
    expect(decoded.samples.length / decoded.sampleRate).toBeCloseTo(0.5, 2);
  });

  it('an MP3 behind zeros', async () => {
    const { bytes } = await encodeAudio({ samples: TONE, sampleRate: 16000 }, 'mp3_22050_32');
    const decoded = await decodeAudio(Buffer.concat([Buffer.alloc(100_000), bytes]));
    expect(decoded.samples.length / decoded.sampleRate).toBeCloseTo(0.5, 2);
  });

  it.each([
    ['audio/basic', encodeMulaw(TONE), 'pcm_mulaw', 8000],
    ['audio/PCMA; rate=16000', encodeAlaw(TONE), 'pcm_alaw', 16000],
    ['audio/pcm;rate=16000', bytesOf(INT16), 'pcm_s16le', 16000],
    ['audio/L16; channels=1; rate=16000', Buffer.from(bytesOf(INT16)).swap16(), 'pcm_s16be', 16000],
  ])('headerless samples as %s', async (mediaType, bytes, codec, sampleRate) => {
    const decoded = await decodeAudio(new Uint8Array(bytes), undefined, mediaType);
    expect(decoded).toMatchObject({ container: 'raw', codec, sampleRate });
    expect(errorDb(decoded.samples)).toBeLessThan(-30);
  });

  it('a WAV as a WAV, whatever its media type claims', async () => {
    const decoded = await decodeAudio(wavFile(bytesOf(INT16)), undefined, 'audio/basic');
    expect(decoded.container).toBe('wav');
  });
});

describe('decodeAudio refuses', () => {
  const text = (s: string) => Buffer.from(s, 'latin1');
  const limits = { maxBytes: 200_000, maxSecs: 2 };

  it.each<[string, Uint8Array | Promise<Uint8Array>, RegExp]>([
    ['nothing', new Uint8Array(0), /empty file/],
    ['a text', text('Dear Sir or Madam, please find attached'), /text file/],
    ['M4A', text('\x00\x00\x00\x20ftypM4A \x00\x00\x00\x00'), /M4A/],
    ['WebM', text('\x1aE\xdf\xa3\x01\x00\x00\x00'), /WebM/],
    ['AIFF', text('FORM\x00\x00\x00\x00AIFF'), /AIFF/],
    ['noise', bytesOf(Int16Array.from(noise(0.2, 8000, 9000))), /unknown kind/],
    ['a WAV without samples', wavFile(new Uint8Array(0)), /without/],
    ['64 channels', wavFile(new Uint8Array(1280), { channels: 64 }), /with 64 channels/],
    ['0 channels', wavFile(new Uint8Array(100), { channels: 0 }), /0/],
    ['0 Hz', wavFile(new Uint8Array(100), { sampleRate: 0 }), /sample rate of 0/],
    ['4 GHz', wavFile(new Uint8Array(100), { sampleRate: 4_000_000_000 }), /sample rate/],
    ['1-bit samples', wavFile(new Uint8Array(100), { bits: 1 }), /1-bit/],
    ['ADPCM', wavFile(new Uint8Array(100), { tag: 2, bits: 4 }), /a WAV file with ADPCM/],
    ['GSM in WAV', wavFile(new Uint8Array(65), { tag: 0x31, bits: 0 }), /a WAV file with GSM/],
    ['MP3 in WAV', wavFile(new Uint8Array(100), { tag: 0x55, bits: 0 }), /a WAV file with MP3/],
    ['an 8-channel FLAC', flacFile(INT16, 16000, { claimedChannels: 8 }), /with 8 channels/],
    ['255-channel Opus', silentOpus(5, { channels: 255 }), /with 255 channels/],
    ['too many bytes', new Uint8Array(200_001), /more than the 200000/],
    ['more seconds than allowed', wavFile(new Uint8Array(2.1 * 32_000)), /more than 2 seconds/],
    ['Opus that unpacks to more seconds than allowed', silentOpus(101), /more than 2 seconds/],
    [
      'an Ogg of something else',
      text('OggS\x00\x02' + '\x00'.repeat(20) + '\x01\x07Speex   '),
      /Ogg file without/,
    ],
  ])('%s, and says what it found', async (_, bytes, found) => {
    const refused = decodeAudio(await bytes, limits).catch((error: unknown) => error);
    const error = await refused;
    expect(error).toBeInstanceOf(UndecodableAudioError);
    expect(String(error)).toMatch(found);
    expect(String(error)).toMatch(/Accepted: WAV/);
  });

  it('a file of 2 channels by their length in time, not by their samples', async () => {
    const data = interleaved(mixed(TONE), TONE);
    const decoded = await decodeAudio(wavFile(data, { tag: 3, bits: 32, channels: 2 }), {
      maxBytes: 1e6,
      maxSecs: 0.6,
    });
    expect(decoded.samples).toHaveLength(TONE.length);
  });
});

describe('the end of a recording is not lost', () => {
  /** FLAC whose third-last byte, the one before its checksum, is the low byte of the last sample. */
  const endingWith = (lastSample: number) => Int16Array.of(...INT16, lastSample);
  /** The tag that older programs append: "TAG" and 125 bytes of text. */
  const id3v1 = Buffer.from('TAG' + 'A title'.padEnd(125, '\0'), 'latin1');
  const lengthOf = async (file: Uint8Array) => (await decodeAudio(file)).samples.length;

  it.each([0, 0xfe, 0xff])('of a FLAC or Ogg FLAC file with the third-last byte %i', async (byte) => {
    const samples = endingWith(byte);
    for (const file of [flacFile(samples, 16_000), oggFlacFile(samples, 16_000)]) {
      expect(file.at(-3)).toBe(byte);
      expect(await lengthOf(file)).toBe(samples.length);
    }
  });

  it('of a FLAC or Ogg FLAC file that ends with a whole frame', async () => {
    const samples = new Int16Array(8192).fill(0xff);
    expect(await lengthOf(flacFile(samples, 16_000))).toBe(samples.length);
    expect(await lengthOf(oggFlacFile(samples, 16_000))).toBe(samples.length);
  });

  it.each<[string, () => Uint8Array | Promise<Uint8Array>]>([
    ['flac', () => flacFile(endingWith(0xff), 16_000)],
    ['ogg-flac', () => oggFlacFile(INT16, 16_000)],
    ['ogg-vorbis', async () => vorbisFile([TONE], 16_000)],
    ['ogg-opus', () => silentOpus(50)],
    ['mp3', async () => (await encodeAudio({ samples: TONE, sampleRate: 16_000 }, 'mp3_22050_32')).bytes],
    ['wav', () => wavFile(bytesOf(INT16))],
  ])('of a file with an ID3v1 tag behind it: %s', async (container, make) => {
    const file = await make();
    const tagged = Buffer.concat([file, id3v1]);
    expect(await lengthOf(tagged)).toBe(await lengthOf(file));
    expect((await inspectAudio(tagged)).container).toBe(container);
  });
});

describe('inspectAudio', () => {
  const found = async (bytes: Uint8Array) =>
    inspectAudio(bytes).then(
      () => null,
      (error: UndecodableAudioError) => error.found,
    );

  it('says what a recording is and how long, without its samples', async () => {
    const wav = wavFile(bytesOf(INT16));
    expect(inspectHeader(wav)).toEqual({ container: 'wav', durationSecs: 0.5 });
    expect(await inspectAudio(wav)).toEqual({ container: 'wav', durationSecs: 0.5 });
    const flac = flacFile(INT16, 16_000);
    expect(inspectHeader(flac)).toEqual({ container: 'flac', durationSecs: null });
    expect(await inspectAudio(flac)).toEqual({ container: 'flac', durationSecs: 0.5 });
  });

  it('refuses ten hours of silence, by the header when it is honest and by decoding when it is not', async () => {
    const honest = silentFlac(36_000);
    expect(honest.length).toBeLessThan(1_000_000);
    expect(() => inspectHeader(honest)).toThrow(/more than 600 seconds/);
    const hidden = silentFlac(36_000, { claimedSecs: 1 });
    expect(inspectHeader(hidden).durationSecs).toBeNull();
    expect(await found(hidden)).toBe('more than 600 seconds of audio');
  });

  it('takes Opus that was cut out of a live stream, whose positions do not begin at 0', async () => {
    const live = silentOpus(50, { from: 3_600 * 48_000 });
    expect(inspectHeader(live)).toEqual({ container: 'ogg-opus', durationSecs: null });
    expect((await inspectAudio(live)).durationSecs).toBeCloseTo(1, 1);
    expect((await decodeAudio(live)).samples.length / 48_000).toBeCloseTo(1, 1);
  });

  it('refuses a file that was cut off, where its header promises a length', async () => {
    const wav = wavFile(bytesOf(INT16), { claimedBytes: INT16.byteLength * 4 });
    expect(await found(wav)).toBe(
      'a WAV file that ends after 0.5 of the 2.0 seconds that its header promises',
    );
    const flac = flacFile(new Int16Array(160_000).fill(100), 16_000);
    expect(await found(flac.subarray(0, flac.length / 2))).toMatch(/^a FLAC file that ends after/);
    const tenFrames = flacFile(new Int16Array(40_960).fill(100), 16_000);
    expect(await found(tenFrames.subarray(0, -1))).toBe(
      'a FLAC file that ends after 2.3 of the 2.6 seconds that its header promises',
    );
  });

  it('says how much of a damaged or shortened file is lost', async () => {
    const flac = flacFile(
      Int16Array.from(noise(10, 16_000, 0.1), (x) => x * 32_767),
      16_000,
    );
    expect((await decodeAudio(flac)).lostSecs).toBe(0);
    const { samples, lostSecs } = await decodeAudio(flac.subarray(0, flac.length / 2));
    expect(samples.length / 16_000 + lostSecs).toBeCloseTo(10, 6);
    expect(lostSecs).toBeGreaterThan(4);
    const wav = wavFile(bytesOf(INT16), { claimedBytes: INT16.byteLength * 4 });
    expect((await decodeAudio(wav)).lostSecs).toBeCloseTo(1.5, 6);
  });

  it.each<[string, () => Promise<Uint8Array>, number]>([
    ['an Ogg Vorbis file', () => vorbisFile([noise(10, 44_100, 0.1)], 44_100), 44_100],
    ['an Ogg Opus file with many packets a page', async () => silentOpus(500, { packetsInPage: 50 }), 48_000],
    [
      'an MP3 file',
      async () =>
        (await encodeAudio({ samples: noise(10, 44_100, 0.1), sampleRate: 44_100 }, 'mp3_44100_128')).bytes,
      44_100,
    ],
  ])('invents no sound where %s was cut off, and calls it damaged', async (name, make, rate) => {
    const whole = await make();
    expect((await decodeAudio(whole)).lostSecs).toBe(0);
    const part = whole.subarray(0, Math.round(whole.length * 0.345));
    const { samples, lostSecs } = await decodeAudio(part);
    expect(samples.length / rate).toBeLessThan(3.6);
    expect(samples.length / rate).toBeGreaterThan(1.5);
    expect(lostSecs).toBeGreaterThan(0.3);
    expect(await found(part)).toMatch(`${name.replace(/ with.*/, '')} that ends after`);
  });

  it('names an MP3 file without a count of its frames that ends within one', async () => {
    const plain = (await Mp3Stream.open(44_100, 128)).encode(noise(2, 44_100, 0.1), true);
    expect((await decodeAudio(plain)).lostSecs).toBe(0);
    expect((await decodeAudio(plain.subarray(0, -100))).lostSecs).toBeCloseTo(1152 / 44_100, 6);
  });

  it('reads the length of an RF64 file where RF64 keeps it', async () => {
    const wav = Buffer.from(wavFile(bytesOf(INT16), { claimedBytes: 0xffff_ffff }));
    wav.write('RF64', 0, 'latin1');
    const ds64 = Buffer.alloc(36);
    ds64.write('ds64', 0, 'latin1');
    ds64.writeUInt32LE(28, 4);
    ds64.writeBigUInt64LE(BigInt(INT16.byteLength), 16);
    const rf64 = Buffer.concat([wav.subarray(0, 12), ds64, wav.subarray(12)]);
    expect((await decodeAudio(rf64)).lostSecs).toBe(0);
    expect((await decodeAudio(rf64.subarray(0, rf64.length - INT16.byteLength / 2))).lostSecs).toBeCloseTo(
      0.25,
      6,
    );
  });

  it('refuses a WAV that holds more sound than its header claims', async () => {
    const data = bytesOf(Int16Array.from(noise(3, 16_000, 0.1), (x) => x * 32_767));
    const lie = 'a WAV file that holds 3.0 seconds of sound where its header claims ';
    const claimsTenBytes = wavFile(data, { claimedBytes: 10 });
    expect(await found(claimsTenBytes)).toBe(`${lie}0.0`);
    expect(() => inspectHeader(claimsTenBytes)).toThrow(`${lie}0.0`);
    expect(await found(wavFile(data, { claimedBytes: 64_001 }))).toBe(`${lie}2.0`);
    expect(await found(wavFile(new Uint8Array(96_000), { claimedBytes: 10 }))).toBe(`${lie}0.0`);
  });

  it.each<[string, number, string]>([
    ['an even number of sample bytes', 16_000, 'LIST\x0c\x00\x00\x00INFOISFT\x00\x00\x00\x00'],
    ['a pad byte', 15_999, '\x00id3 \x01\x00\x00\x00x\x00bext\x02\x00\x00\x00ab'],
    ['no pad byte where one belongs', 15_999, 'cue \x04\x00\x00\x00\x00\x00\x00\x00'],
    ['a pad byte and nothing else', 15_999, '\x00'],
    ['a chunk that is cut off', 16_000, 'LIST\xff\x00\x00\x00INFO'],
    ['a large chunk', 16_000, `JUNK\x00\x40\x00\x00${'\xff'.repeat(16_384)}`],
    ['a few stray bytes', 16_000, '\x00'.repeat(100)],
  ])('accepts a WAV with chunks behind its samples: %s', async (_, length, tail) => {
    const file = wavFile(new Uint8Array(length).fill(128), { bits: 8 });
    const withTail = Buffer.concat([file, Buffer.from(tail, 'latin1')]);
    expect(await inspectAudio(withTail)).toEqual({ container: 'wav', durationSecs: length / 16_000 });
    expect((await decodeAudio(withTail)).samples).toHaveLength(length);
  });

  it.each([0, 0xffff_ffff, 0x7fff_ffff])(
    'accepts a WAV of a recorder that claims %d bytes',
    async (claimedBytes) => {
      expect(await found(wavFile(bytesOf(INT16), { claimedBytes }))).toBeNull();
    },
  );

  it('takes no raw samples: what is not recognised is refused', async () => {
    expect(await found(new Uint8Array(10_000).fill(7))).toBe('10000 bytes of an unknown kind');
  });
});
