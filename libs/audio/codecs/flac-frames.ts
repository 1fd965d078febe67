import type { FLACDecoder } from '@wasm-audio-decoders/flac';
import type CodecParser from 'codec-parser';
import type { CodecFrame } from 'codec-parser';

/**
 * A FLAC frame header and no frame. codec-parser ends a frame where the next one begins. Without a next one it looks
 * for the end of the stream, does not find it when the third-last byte is 0xFF, and loses the last frame.
 */
const NEXT_HEADER = Uint8Array.of(0xff, 0xf8, 0x14, 0x08, 0, 0x2b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
/** No frame of two channels is longer: 65,535 samples of 24 bits. */
const LONGEST_FRAME = 400_000;
const SHORTEST_FRAME = 8;
const MOST_SAMPLES = 65_535;

/** Decodes the frames of a FLAC file, and counts their bytes: only their checksums say where one ends. */
export class FlacFrames {
  /** Where the first bytes are that belong to no frame, or null. */
  gap: number | null = null;
  private passedTo = 0;
  private readTo = 0;
  private decoded = 0;

  private constructor(
    private readonly body: Uint8Array,
    private readonly promised: number,
    private readonly longestFrame: number,
    private readonly decoder: FLACDecoder,
    private readonly parser: CodecParser<CodecFrame>,
  ) {}

  /**
   * @param promised samples, or 0
   * @param longestFrame bytes that a frame has at most
   */
  static async open(body: Uint8Array, promised: number, longestFrame: number): Promise<FlacFrames> {
    const [{ FLACDecoder }, { default: Parser }] = await Promise.all([
      import('@wasm-audio-decoders/flac'),
      import('codec-parser'),
    ]);
    const parser = new Parser<CodecFrame>('audio/flac', { enableFrameCRC32: false });
    return new FlacFrames(body, promised, longestFrame, new FLACDecoder(), parser);
  }

  get ready(): Promise<void> {
    return this.decoder.ready;
  }

  async decode(bytes: Uint8Array): ReturnType<FLACDecoder['decodeFrames']> {
    const decoded = await this.decodeFrames(this.parser.parseChunk(bytes));
    this.passedTo += bytes.length;
    // The parser adds up what follows from here to each header behind it: the time grows with the square. Of zeros there is none.
    if (this.passedTo - this.readTo > this.longestFrame + 2 * bytes.length && bytes.some(Boolean))
      this.gap ??= this.endOfLast(this.body.subarray(this.readTo, this.passedTo)) ?? this.readTo;
    return decoded;
  }

  /** What is left when all bytes have been passed. */
  async flush(): ReturnType<FLACDecoder['decodeFrames']> {
    const decoded = await this.decodeFrames(this.parser.parseChunk(NEXT_HEADER));
    const rest = this.body.subarray(this.readTo);
    if (rest.length > 0) this.gap ??= this.endOfLast(rest);
    return decoded;
  }

  free(): void {
    this.decoder.free();
  }

  /** Where the last frame, which is not followed by another, ends before the file does; null where the file was cut off in it. */
  private endOfLast(rest: Uint8Array): number | null {
    const isFrame = rest[0] === 0xff && rest[1]! >> 1 === 0x7c && rest.length < LONGEST_FRAME;
    if (!isFrame) return this.readTo;
    // By chance a checksum fits: it is looked for where no more than this frame can be missing.
    const isLast = this.decoded + MOST_SAMPLES > this.promised;
    const length = isLast ? checkedLength(rest) : 0;
    return length > 0 ? this.readTo + length : null;
  }

  private async decodeFrames(frames: Iterator<CodecFrame>): ReturnType<FLACDecoder['decodeFrames']> {
    const found: Uint8Array[] = [];
    for (let next = frames.next(); !next.done; next = frames.next()) {
      const { data } = next.value;
      const here = this.body.subarray(this.readTo, this.readTo + data.length);
      if (Buffer.compare(here, data) !== 0) this.gap ??= this.readTo;
      this.readTo += data.length;
      found.push(data);
    }
    const decoded = await this.decoder.decodeFrames(found);
    this.decoded += decoded.samplesDecoded;
    return decoded;
  }
}

/** Bytes up to which the checksum of a frame (RFC 9639 section 9.3) fits, or 0. */
function checkedLength(bytes: Uint8Array): number {
  let crc = 0;
  for (const [at, byte] of bytes.entries()) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x8005) & 0xffff : crc << 1;
    if (crc === 0 && at > SHORTEST_FRAME) return at + 1;
  }
  return 0;
}
