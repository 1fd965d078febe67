import { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import type { DecodedAudio, InspectedAudio } from '../codecs/decode-audio';

export interface MeasureTask {
  bytes: Uint8Array;
  mediaType?: string;
  /** Whether the result includes the windows for a second opinion. */
  withWindows: boolean;
}

export interface MeasuredAudio {
  measurements: RecordingMeasurements;
  audioInfo: Omit<DecodedAudio, 'samples' | 'balance' | 'lostSecs'> & { durationSecs: number };
  /** The windows for a second opinion, when requested. */
  windows: Float32Array | null;
}

/** The same for a file that is only looked at. */
export type InspectResponse = { inspected: InspectedAudio } | { undecodable: string };

/** The result of a thread: errors lose their class between threads, so the final one travels as data. */
export type MeasureResponse = { measured: MeasuredAudio } | { undecodable: string };
