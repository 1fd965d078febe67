/** The bytes are not audio that Greenroom can read. Final: the same bytes will never decode. */
export class UndecodableAudioError extends Error {
  constructor(
    /** What the bytes look like, for people: "a 96-channel WAV". */
    readonly found: string,
    options?: ErrorOptions,
  ) {
    super(`Found ${found}. ${ACCEPTED}`, options);
    this.name = 'UndecodableAudioError';
  }
}

const ACCEPTED =
  'Accepted: WAV (PCM 8-32 bit, float, mu-law, A-law), MP3, FLAC, Ogg Vorbis, Opus in Ogg, WebM or MP4; mono or stereo, 4-192 kHz.';
