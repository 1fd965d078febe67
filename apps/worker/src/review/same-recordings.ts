import { bySystem } from '@app/administration/audit/audit-actors';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { VoiceSafetyService } from '@app/administration/voices/voice-safety.service';
import { compareFingerprints, SAME_BELOW } from '@app/audio/fingerprints/compare-fingerprints';
import type { RecordingFingerprint } from '@app/audio/fingerprints/recording-fingerprint';
import { AppConfig } from '@app/config/app-config';
import { NoGoRepository, type NoGoLikeness } from '@app/database/reviews/no-go.repository';
import {
  RecordingFingerprintRepository,
  type Candidate,
} from '@app/database/reviews/recording-fingerprint.repository';
import { ReviewItemRepository } from '@app/database/reviews/review-item.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { Injectable, Logger } from '@nestjs/common';

const ACTOR = bySystem('review');

/** Finds the same recording in other voices and on the no-go list, and acts on what it finds there. */
@Injectable()
export class SameRecordings {
  private readonly logger = new Logger(SameRecordings.name);

  constructor(
    private readonly fingerprints: RecordingFingerprintRepository,
    private readonly noGo: NoGoRepository,
    private readonly voices: VoiceRepository,
    private readonly desk: ReviewItemRepository,
    private readonly safety: VoiceSafetyService,
    private readonly changes: AuditedChanges,
    private readonly config: AppConfig,
  ) {}

  /**
   * Keeps how a recording sounds and which others are the same one.
   *
   * @param fingerprint null when the bytes could not be decoded: then only the same bytes are found
   * @returns what of the no-go list it is
   */
  async remember(
    voiceId: string,
    digest: string,
    fingerprint: RecordingFingerprint | null,
  ): Promise<NoGoLikeness[]> {
    const identical = await this.noGo.findIdentical(voiceId, digest);
    const found = identical.map((noGoVoiceId) => ({ noGoVoiceId, bitErrorRate: 0 }));
    if (!fingerprint) return found;
    const { steps, keys, lookups } = fingerprint;
    await this.fingerprints.store(
      digest,
      Buffer.from(steps.buffer, steps.byteOffset, steps.byteLength),
      keys,
    );
    // Stored first: of two copies that are reviewed at the same time, the later one to look finds the other.
    await this.compareWithOthers(digest, steps, lookups);
    const listed = sameAs(steps, await this.noGo.findCandidates(voiceId, lookups));
    return [...found, ...listed.map(({ id, bitErrorRate }) => ({ noGoVoiceId: id, bitErrorRate }))];
  }

  private async compareWithOthers(digest: string, steps: Uint32Array, lookups: Int32Array): Promise<void> {
    const candidates = await this.fingerprints.findCandidates(digest, lookups);
    // A grade does not wait for it.
    if (!candidates)
      return this.logger.warn(`Not compared with other recordings, which takes too long: ${digest}`);
    const copies = sameAs(steps, candidates);
    await this.fingerprints.storeLikenesses(
      digest,
      copies.map(({ id, ...likeness }) => ({ digest: id, ...likeness })),
    );
  }

  /**
   * Puts a voice with recordings of the no-go list on the review desk, and holds it where that is configured; once for
   * each voice of the list, so that what staff have let pass stays so.
   */
  async act(voiceId: string, found: readonly NoGoLikeness[]): Promise<void> {
    if (found.length === 0) return;
    await this.changes.make(async (em) => {
      const [first] = await this.noGo.addMatches(voiceId, found, em);
      if (!first) return { result: undefined, events: [] };
      const note = `Same recording as the no-go voice “${first.voiceName}” (${first.voiceId}): ${first.reason}`;
      await this.desk.open(voiceId, ['no_go_match'], em, note);
      if (this.config.noGoAction !== 'hold') return { result: undefined, events: [] };
      const { safetyState } = await this.voices.get(voiceId, em);
      if (safetyState !== null) return { result: undefined, events: [] };
      return this.safety.setting({ actor: ACTOR, voiceId, reason: note }, 'held', null)(em);
    });
  }
}

function sameAs(steps: Uint32Array, candidates: Candidate[]) {
  return candidates.flatMap(({ id, steps: bytes }) => {
    const likeness = compareFingerprints(steps, toSteps(bytes));
    return likeness && likeness.bitErrorRate < SAME_BELOW ? [{ id, ...likeness }] : [];
  });
}

/** A copy: the bytes of a column may lie anywhere, and numbers may not. */
function toSteps(bytes: Buffer): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}
