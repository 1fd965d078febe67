import { AudioStore } from '@app/audio-store/audio-store';
import { endOfPage } from '@app/audio/codecs/ogg-pages';
import { readWavHeader } from '@app/audio/codecs/wav-header';
import type { RecordingFingerprint } from '@app/audio/fingerprints/recording-fingerprint';
import { AudioThreads } from '@app/audio/threads/audio-threads';
import { AudioTaskCrashedError, AudioTaskTimeoutError } from '@app/audio/threads/audio-threads.error';
import { UndecodableAudioError } from '@app/audio/codecs/undecodable-audio.error';
import {
  HistoryFingerprintRepository,
  type DueItem,
} from '@app/database/history/history-fingerprint.repository';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ended, type Round } from '../loop';

/** Items of one round, each of another account. */
const BATCH = 8;
/** Pieces that are decoded together: a piece is a sentence, of 20 s at the most. */
const PIECES = 6;

/** Takes the fingerprints of what voices have spoken, so that a clip of it can be found. Accounts take turns. */
@Injectable()
export class HistoryFingerprints implements OnApplicationShutdown {
  private readonly logger = new Logger(HistoryFingerprints.name);
  /** One, which reviews do not wait for. */
  private readonly threads = new AudioThreads({ threads: 1, idleThreads: 0 });

  constructor(
    private readonly fingerprints: HistoryFingerprintRepository,
    private readonly audio: AudioStore,
  ) {}

  async take(): Promise<Round> {
    const due = await this.fingerprints.claimDue(BATCH);
    for (const item of due) await this.takeOf(item);
    return ended(due.length > 0 ? 'more' : 'idle', { item: due.length });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  private async takeOf({ id, mediaType, digests }: DueItem): Promise<void> {
    const steps: number[] = [];
    const keys = new Set<number>();
    let head: Uint8Array = new Uint8Array(0);
    for (let at = 0; at < (digests ?? []).length; at += PIECES) {
      const found = await Promise.all(
        digests.slice(at, at + PIECES).map((digest) => this.audio.find(digest)),
      );
      const bytes = Buffer.concat(found.flatMap((piece) => (piece ? [piece.bytes] : [])));
      if (at === 0) head = headOf(bytes, mediaType);
      const part = await this.fingerprintOf(id, at === 0 ? bytes : Buffer.concat([head, bytes]), mediaType);
      for (const step of part?.steps ?? []) steps.push(step);
      for (const key of part?.keys ?? []) keys.add(key);
    }
    await this.fingerprints.store(id, Uint32Array.from(steps), keys);
  }

  /** Null for audio that cannot be decoded: what was found of the rest is kept. */
  private async fingerprintOf(
    id: string,
    bytes: Uint8Array,
    mediaType: string,
  ): Promise<RecordingFingerprint | null> {
    try {
      return (await this.threads.fingerprint(bytes, { mediaType })).fingerprint;
    } catch (error) {
      const isFinal = [UndecodableAudioError, AudioTaskCrashedError, AudioTaskTimeoutError].some(
        (kind) => error instanceof kind,
      );
      if (!isFinal) throw error;
      this.logger.warn(`No clip of history item ${id} will be found: ${String(error)}`);
      return null;
    }
  }
}

/** What the later pieces of a stream need before them: the first two pages of Ogg, and the header of a WAV file. */
function headOf(bytes: Buffer, mediaType: string): Uint8Array {
  if (mediaType === 'audio/ogg') return bytes.subarray(0, endOfPage(bytes, endOfPage(bytes, 0)));
  if (mediaType !== 'audio/wav') return new Uint8Array(0);
  return bytes.subarray(0, readWavHeader(bytes).data.byteOffset - bytes.byteOffset);
}
