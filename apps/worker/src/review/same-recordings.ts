import { compareFingerprints, SAME_BELOW } from '@app/audio/fingerprints/compare-fingerprints';
import { toSteps, type RecordingFingerprint } from '@app/audio/fingerprints/recording-fingerprint';
import type { HeardSpeaker } from '@app/audio/threads/speaker-model';
import type { Candidate } from '@app/database/reviews/fingerprint-search';
import type { BlockedRecordingFindings } from '@app/domain/reviews/blocked-recording-findings';
import { BlockedRecordingRepository } from '@app/database/reviews/blocked-recording.repository';
import { RecordingFingerprintRepository } from '@app/database/reviews/recording-fingerprint.repository';
import { RecordingSpeakerRepository } from '@app/database/reviews/recording-speaker.repository';
import { Injectable, Logger } from '@nestjs/common';

/** What was heard of a recording besides its quality. */
interface Heard {
  /** Null when the bytes could not be decoded: then only the same bytes are found. */
  fingerprint: RecordingFingerprint | null;
  /** Null without a model of speakers. */
  speaker: HeardSpeaker | null;
}

/** Keeps how recordings sound and who speaks in them, and finds the same recording in other voices and on the no-go list. */
@Injectable()
export class SameRecordings {
  private readonly logger = new Logger(SameRecordings.name);

  constructor(
    private readonly fingerprints: RecordingFingerprintRepository,
    private readonly speakers: RecordingSpeakerRepository,
    private readonly blockedRecordings: BlockedRecordingRepository,
  ) {}

  /**
   * Keeps how a recording sounds, who speaks and which others are the same one.
   *
   * @returns what of the no-go list it is
   */
  async remember(
    voiceId: string,
    digest: string,
    { fingerprint, speaker }: Heard,
  ): Promise<BlockedRecordingFindings> {
    if (speaker) await this.rememberSpeaker(digest, speaker);
    const identical = await this.blockedRecordings.findIdentical(voiceId, digest);
    const found = identical.map((blockedVoiceId) => ({ blockedVoiceId, bitErrorRate: 0 }));
    if (!fingerprint) return { found, isComplete: true };
    const { steps, keys, lookups } = fingerprint;
    await this.fingerprints.store(
      digest,
      Buffer.from(steps.buffer, steps.byteOffset, steps.byteLength),
      keys,
    );
    // Stored first: of two copies that are reviewed at the same time, the later one to look finds the other.
    await this.compareWithOthers(digest, steps, lookups);
    const candidates = await this.blockedRecordings.findCandidates(voiceId, lookups);
    if (!candidates) this.logger.warn(`Not compared with the no-go list, which takes too long: ${digest}`);
    const listed = sameAs(steps, candidates ?? []);
    return {
      found: [...found, ...listed.map(({ id, bitErrorRate }) => ({ blockedVoiceId: id, bitErrorRate }))],
      isComplete: candidates !== null,
    };
  }

  private async rememberSpeaker(digest: string, { model, vector, problem }: HeardSpeaker): Promise<void> {
    if (vector) return this.speakers.store(digest, model, vector);
    // A vector of another review may be of another model.
    await this.speakers.delete(digest);
    this.logger.warn(`The model of speakers has no vector of ${digest}: ${problem}`);
  }

  private async compareWithOthers(digest: string, steps: Uint32Array, lookups: Int32Array): Promise<void> {
    const candidates = await this.fingerprints.findCandidates(digest, lookups);
    // A grade does not wait for it.
    if (!candidates)
      return this.logger.warn(`Not compared with other recordings, which takes too long: ${digest}`);
    const copies = sameAs(steps, candidates);
    await this.fingerprints.storeSimilarities(
      digest,
      copies.map(({ id, ...similarity }) => ({ digest: id, ...similarity })),
    );
  }
}

function sameAs(steps: Uint32Array, candidates: Candidate[]) {
  return candidates.flatMap(({ id, steps: bytes }) => {
    const similarity = compareFingerprints(steps, toSteps(bytes));
    return similarity && similarity.bitErrorRate < SAME_BELOW ? [{ id, ...similarity }] : [];
  });
}
