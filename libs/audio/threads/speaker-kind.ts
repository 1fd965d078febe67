/** What a model of speakers takes: the sound itself, or bands of it (`speakerBands`). */
export type SpeakerKind = 'waveform' | 'bands';

/** A model that runs. */
export interface OpenedSpeakerModel {
  /** Its file name and the beginning of its SHA-256. */
  name: string;
  kind: SpeakerKind;
  /** Numbers of its vectors. */
  size: number;
}
