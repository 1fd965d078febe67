import { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import type { FingerprintOptions, RecordingFingerprint } from '../fingerprints/recording-fingerprint';
import type { DecodedAudio } from '../codecs/decode-audio';
import type { ForeignAudio } from '../codecs/foreign-audio';
import type { MessagePort } from 'node:worker_threads';

/** A recording, or where it comes decoded from. */
export interface DecodeTask {
  bytes: Uint8Array;
  foreign?: ForeignAudio & { sizeBytes: number; port: MessagePort };
}

export interface MeasureTask extends DecodeTask {
  mediaType?: string;
  /** Whether the result includes the windows for a second opinion. */
  withWindows: boolean;
  /** Whether it includes the fingerprint. */
  withFingerprint: boolean;
  /** Whether it includes the stretches for a model of speakers. */
  withStretches: boolean;
}

export interface FingerprintTask extends DecodeTask, FingerprintOptions {
  mediaType?: string;
}

/** How a recording sounds, and how long it is. */
export interface FingerprintedAudio {
  fingerprint: RecordingFingerprint;
  durationSecs: number;
}

export interface MeasuredAudio {
  measurements: RecordingMeasurements;
  audioInfo: Omit<DecodedAudio, 'samples' | 'balance' | 'lostSecs'> & { durationSecs: number };
  /** The windows for a second opinion, when requested. */
  windows: Float32Array | null;
  /** How the recording sounds, when requested. */
  fingerprint: RecordingFingerprint | null;
  /** The stretches for a model of speakers, when requested. */
  stretches: Float32Array | null;
}

/** The result of a thread: errors lose their class between threads, so the final one travels as data. */
export type Decoded<T> = { decoded: T } | { undecodable: string };
