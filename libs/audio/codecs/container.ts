import { findMpegStart, findTwoFrames } from './mpeg-frame';
import { id3Length } from './tags';

/** How the bytes are wrapped, recognised by their first bytes, never by a name or a claimed type. */
export type Container = OwnContainer | ForeignContainer;

export type OwnContainer = 'wav' | 'mp3' | 'flac' | 'ogg-vorbis' | 'ogg-opus' | 'ogg-flac' | PacketContainer;

/** Films and recordings of browsers and telephones, of which the sound is one track. */
export type PacketContainer = 'webm' | 'mp4';

/** What only an ffmpeg reads. */
export type ForeignContainer = 'amr' | 'adts' | 'aiff' | 'wma';

const CONTAINERS: Record<Container, { mediaType: string; name: string }> = {
  wav: { mediaType: 'audio/wav', name: 'a WAV file' },
  mp3: { mediaType: 'audio/mpeg', name: 'an MP3 file' },
  flac: { mediaType: 'audio/flac', name: 'a FLAC file' },
  'ogg-vorbis': { mediaType: 'audio/ogg', name: 'an Ogg Vorbis file' },
  'ogg-opus': { mediaType: 'audio/ogg', name: 'an Ogg Opus file' },
  'ogg-flac': { mediaType: 'audio/ogg', name: 'an Ogg FLAC file' },
  webm: { mediaType: 'audio/webm', name: 'a WebM/Matroska file' },
  mp4: { mediaType: 'audio/mp4', name: 'an MP4/M4A file' },
  amr: { mediaType: 'audio/AMR', name: 'an AMR file' },
  adts: { mediaType: 'audio/aac', name: 'an ADTS stream (AAC)' },
  aiff: { mediaType: 'audio/aiff', name: 'an AIFF file' },
  wma: { mediaType: 'audio/x-ms-wma', name: 'a Windows Media file' },
};

/** The media type that players know a container by. */
export function mediaTypeOf(container: Container): string {
  return CONTAINERS[container].mediaType;
}

/** With its article: "an Ogg Opus file". */
export function nameOf(container: Container | 'raw'): string {
  return container === 'raw' ? 'a file of raw samples' : CONTAINERS[container].name;
}

/** Headerless samples, which only a media type distinguishes from noise. */
interface RawFormat {
  codec: 'pcm_s16le' | 'pcm_s16be' | 'pcm_mulaw' | 'pcm_alaw';
  sampleRate: number;
}

const FOREIGN_CONTAINERS: [marker: string, container: ForeignContainer][] = [
  ['FORM', 'aiff'],
  ['#!AMR', 'amr'],
  ['0&\xb2u', 'wma'],
  ['\xff\xf1', 'adts'],
  ['\xff\xf9', 'adts'],
];

const FOREIGN: [marker: string, offset: number, name: string][] = [
  ...FOREIGN_CONTAINERS.map(([marker, container]): [string, number, string] => [
    marker,
    0,
    CONTAINERS[container].name,
  ]),
  ['caff', 0, 'a CAF file'],
  ['.snd', 0, 'an AU file'],
  ['RIFX', 0, 'a big-endian WAV file'],
  ['riff.\x91\xcf\x11', 0, 'a Wave64 file'],
  ['\x0bw', 0, 'a Dolby Digital stream (AC-3)'],
  ['wvpk', 0, 'a WavPack file'],
  ['MAC ', 0, "a Monkey's Audio file (APE)"],
  ['TTA1', 0, 'a True Audio file (TTA)'],
  ['MPCK', 0, 'a Musepack file'],
  ['MP+', 0, 'a Musepack file'],
  ['DSD ', 0, 'a DSF file (DSD)'],
  ['FRM8', 0, 'a DSDIFF file (DSD)'],
  ['tBaK', 0, 'a TAK file'],
  ['OptimFROG', 0, 'an OptimFROG file'],
  ['MThd', 0, 'a MIDI file'],
  ['PK\x03\x04', 0, 'a ZIP archive'],
  ['%PDF', 0, 'a PDF document'],
  ['\x89PNG', 0, 'a PNG image'],
  ['\x1f\x8b', 0, 'a gzip archive'],
];

/** Where the first frame behind a tag of the wrong size is looked for. */
const MOST_TAG_BYTES = 1_000_000;

/** The container by magic bytes, or null. MP3 has no magic: two frame headers in a row must be found. */
export function sniffContainer(bytes: Uint8Array): OwnContainer | null {
  return sniffMagic(bytes) ?? (findMpegStart(bytes) ? 'mp3' : null);
}

/** The container if the first bytes are an unmistakable four-byte magic, or null. */
export function sniffMagic(bytes: Uint8Array): OwnContainer | null {
  const magic = latin1(bytes, 0, 4);
  if ((magic === 'RIFF' || magic === 'RF64') && latin1(bytes, 8, 4) === 'WAVE') return 'wav';
  if (magic === 'fLaC') return 'flac';
  if (magic === 'OggS') return sniffOgg(bytes);
  if (magic === '\x1aE\xdf\xa3') return 'webm';
  if (latin1(bytes, 4, 4) === 'ftyp') return 'mp4';
  return null;
}

/** A container that only an ffmpeg reads, by its first bytes. */
export function sniffForeign(bytes: Uint8Array): ForeignContainer | null {
  return FOREIGN_CONTAINERS.find(([marker]) => latin1(bytes, 0, marker.length) === marker)?.[1] ?? null;
}

/**
 * A few words about bytes that are not accepted: "an MP4/M4A file (AAC)".
 *
 * @param codec of its sound, where the container is known and the codec is not accepted
 */
export function describeForeign(bytes: Uint8Array, codec: string | null = null): string {
  if (bytes.length === 0) return 'an empty file';
  const known = FOREIGN.find(([marker, offset]) => latin1(bytes, offset, marker.length) === marker);
  if (known) return known[2];
  if (latin1(bytes, 4, 4) === 'ftyp') return describeMp4(bytes);
  if (latin1(bytes, 0, 4) === '\x1aE\xdf\xa3')
    return codec ? `${nameOf('webm')} (${codec.toUpperCase()})` : nameOf('webm');
  const tagBytes = id3Length(bytes);
  if (tagBytes > 0) return describeTagged(bytes, tagBytes);
  if (latin1(bytes, 0, 4) === 'OggS') return 'an Ogg file without Vorbis, Opus or FLAC in it';
  if (/^[\t\r\n\x20-\x7e]{16,}$/.test(latin1(bytes, 0, 64))) return 'a text file';
  return `${bytes.length} bytes of an unknown kind`;
}

/** What begins with an ID3 tag and is not an MP3 file, whose first frame is behind the tag. */
function describeTagged(bytes: Uint8Array, tagBytes: number): string {
  const behind = bytes.subarray(tagBytes);
  const container = sniffMagic(behind) ?? sniffForeign(behind);
  if (container) return `${nameOf(container)} behind an ID3 tag of ${tagBytes} bytes, where none belongs`;
  const first = findTwoFrames(bytes, 0, MOST_TAG_BYTES);
  return first
    ? `an MP3 file whose ID3 tag claims ${tagBytes} bytes, where its first frame is at byte ${first.offset}`
    : `an ID3 tag of ${tagBytes} bytes without a recording behind it`;
}

const MP4_CODECS: [sampleEntry: string, name: string][] = [
  ['mp4a', 'AAC'],
  ['alac', 'ALAC'],
  ['Opus', 'Opus'],
  ['fLaC', 'FLAC'],
  ['samr', 'AMR'],
  ['sawb', 'AMR wideband'],
  ['ac-3', 'AC-3'],
  ['ec-3', 'E-AC-3'],
  ['lpcm', 'PCM'],
  ['ipcm', 'PCM'],
  ['fpcm', 'PCM'],
  ['sowt', 'PCM'],
  ['twos', 'PCM'],
];

function describeMp4(bytes: Uint8Array): string {
  const kind = latin1(bytes, 8, 3) === '3gp' ? 'a 3GP file' : 'an MP4/M4A file';
  const [codec] = codecsOfMp4(bytes);
  return codec ? `${kind} (${codec})` : kind;
}

/** No film has more tracks that matter. */
const MOST_TRACKS = 16;

/** Of the tracks of sound, by their first sample entries (ISO/IEC 14496-12), which are behind the headers of `stsd` boxes. */
export function codecsOfMp4(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries: string[] = [];
  for (let at = -1; entries.length < MOST_TRACKS;) {
    at = buffer.indexOf('stsd', at + 1, 'latin1');
    if (at < 0) break;
    entries.push(latin1(bytes, at + 16, 4));
  }
  return entries.flatMap((entry) => MP4_CODECS.find(([marker]) => marker === entry)?.[1] ?? []);
}

/**
 * What a media type says about headerless samples; null when it names no raw format.
 * `audio/pcm;rate=16000` is little-endian (this API's own label), `audio/L16;rate=...` big-endian (RFC 2586).
 */
export function rawFormatOf(mediaType: string): RawFormat | null {
  const [type = '', ...parameters] = mediaType.toLowerCase().split(';');
  const rate = Number(parameters.map((p) => /^\s*rate\s*=\s*(\d+)\s*$/.exec(p)?.[1]).find(Boolean) ?? 0);
  switch (type.trim()) {
    case 'audio/basic':
    case 'audio/pcmu':
      return { codec: 'pcm_mulaw', sampleRate: rate || 8000 };
    case 'audio/x-alaw-basic':
    case 'audio/pcma':
      return { codec: 'pcm_alaw', sampleRate: rate || 8000 };
    case 'audio/pcm':
      return { codec: 'pcm_s16le', sampleRate: rate };
    case 'audio/l16':
      return { codec: 'pcm_s16be', sampleRate: rate };
    default:
      return null;
  }
}

/** A piece of the bytes as text, one character a byte. */
export function latin1(bytes: Uint8Array, offset: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    'latin1',
    offset,
    offset + length,
  );
}

function sniffOgg(bytes: Uint8Array): OwnContainer | null {
  const packet = oggFirstPacket(bytes);
  if (latin1(bytes, packet, 7) === '\x01vorbis') return 'ogg-vorbis';
  if (latin1(bytes, packet, 8) === 'OpusHead') return 'ogg-opus';
  if (latin1(bytes, packet, 5) === '\x7fFLAC') return 'ogg-flac';
  return null;
}

/** Where the first packet of the first page begins (RFC 3533: 27 bytes, then the segment table). */
export function oggFirstPacket(bytes: Uint8Array): number {
  return 27 + (bytes[26] ?? 0);
}
