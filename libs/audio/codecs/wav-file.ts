const HEADER_BYTES = 44;

/** A WAV file of mono samples, signed 16-bit little-endian: its header, and the parts as they are. */
export function asWav<T extends Uint8Array>(parts: T[], sampleRate: number): (T | Buffer<ArrayBuffer>)[] {
  const dataBytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  // PCM, one channel.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return [header, ...parts];
}
