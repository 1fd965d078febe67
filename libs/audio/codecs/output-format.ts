/** The output formats of the public wire contract (`output_format` query value) that every operation takes. */
export const OUTPUT_FORMATS = [
  'mp3_22050_32',
  'mp3_24000_48',
  'mp3_44100_32',
  'mp3_44100_64',
  'mp3_44100_96',
  'mp3_44100_128',
  'mp3_44100_192',
  'pcm_8000',
  'pcm_16000',
  'pcm_22050',
  'pcm_24000',
  'pcm_32000',
  'pcm_44100',
  'pcm_48000',
  'ulaw_8000',
  'alaw_8000',
  'opus_48000_32',
  'opus_48000_64',
  'opus_48000_96',
  'opus_48000_128',
  'opus_48000_192',
] as const;

const WAV_FORMATS = [
  'wav_8000',
  'wav_16000',
  'wav_22050',
  'wav_24000',
  'wav_32000',
  'wav_44100',
  'wav_48000',
] as const;

/** Those of speech that is sent whole: a WAV file begins with its length. */
export const WHOLE_FORMATS = [...OUTPUT_FORMATS, ...WAV_FORMATS] as const;

export type OutputFormat = (typeof WHOLE_FORMATS)[number];

/** What a format consists of. */
export interface FormatParts {
  codec: string;
  sampleRate: number;
  /** 0 where the codec has only one. */
  bitrateKbps: number;
}

export function codecOf(format: OutputFormat): FormatParts {
  const [codec = '', rate, bitrate] = format.split('_');
  return { codec, sampleRate: Number(rate), bitrateKbps: Number(bitrate ?? 0) };
}

/** The same sound as bare samples. */
export function pcmFormatOf(format: OutputFormat): OutputFormat {
  return `pcm_${codecOf(format).sampleRate}` as OutputFormat;
}
