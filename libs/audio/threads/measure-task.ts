import { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import type { DecodedAudio } from '../codecs/decode-audio';

export interface MeasureTask {
  bytes: Uint8Array;
  mediaType?: string;
  /** Whether the answer has what a second opinion listens to. */
  withWindows: boolean;
}

export interface MeasuredAudio {
  measurements: RecordingMeasurements;
  audioInfo: Omit<DecodedAudio, 'samples'> & { durationSecs: number };
  /** What a second opinion listens to, when it was asked for. */
  windows: Float32Array | null;
}

/** What a thread answers: errors lose their class between threads, so the final one travels as data. */
export type MeasureResponse = { measured: MeasuredAudio } | { undecodable: string };
