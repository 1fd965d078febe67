const HEADER_BYTES = 27;
const FIRST = 2;
const LAST = 4;
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c1_1db7 : 0);
  return crc >>> 0;
});

/** Writes the pages of one Ogg stream (RFC 3533). */
export class OggWriter {
  /** @param pages how many the stream has already */
  constructor(
    private readonly serial: number,
    private pages = 0,
  ) {}

  /** A page of whole packets, of 255 segments at the most. @param position in samples, of the end of its last packet */
  page(packets: Uint8Array[], position: number, isLast = false): Buffer {
    const segments = packets.flatMap(({ length }) => [
      ...Array.from({ length: Math.floor(length / 255) }, () => 255),
      length % 255,
    ]);
    const header = Buffer.alloc(HEADER_BYTES);
    header.write('OggS', 0, 'latin1');
    header[5] = (this.pages === 0 ? FIRST : 0) | (isLast ? LAST : 0);
    header.writeBigInt64LE(BigInt(position), 6);
    header.writeUInt32LE(this.serial, 14);
    header.writeUInt32LE(this.pages, 18);
    header[26] = segments.length;
    const page = Buffer.concat([header, Uint8Array.from(segments), ...packets]);
    page.writeUInt32LE(checksum(page), 22);
    this.pages += 1;
    return page;
  }
}

function checksum(page: Buffer): number {
  let crc = 0;
  for (const byte of page) crc = ((crc << 8) ^ CRC_TABLE[((crc >>> 24) ^ byte) & 0xff]!) >>> 0;
  return crc;
}
