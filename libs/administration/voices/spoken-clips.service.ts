import type { Similarity } from '@app/audio/fingerprints/compare-fingerprints';
import { CLIP_BELOW, findClip, SHORTEST_CLIP_SECS } from '@app/audio/fingerprints/find-clip';
import { toSteps } from '@app/audio/fingerprints/recording-fingerprint';
import type { FingerprintedAudio } from '@app/audio/threads/measure-task';
import {
  HistoryFingerprintRepository,
  type SpokenItem,
} from '@app/database/history/history-fingerprint.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditActor } from '../audit/audit-actors';
import { AuditLog } from '../audit/audit-log';

/** An item of the history that a clip was cut out of. */
export interface FoundItem extends SpokenItem, Similarity {}

export interface SpokenHere {
  items: FoundItem[];
  /** Items of the history whose sound is not known yet. */
  waiting: number;
}

/** As many items as are shown. */
const MOST_FOUND = 20;

/** Finds which item of the history a clip was cut out of, whosever it is: for staff alone. */
@Injectable()
export class SpokenClips {
  constructor(
    private readonly fingerprints: HistoryFingerprintRepository,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The items, the most alike first. That it was looked for, and what was found, is in the audit log before anything is returned.
   *
   * @throws InvalidInput for a clip of less than two seconds; DomainError `service_unavailable` when the search takes too long
   */
  async find(clip: FingerprintedAudio, actor: AuditActor, reason: string): Promise<SpokenHere> {
    const { fingerprint, durationSecs } = clip;
    // Rounded down: of 1.96 s, 2.0 would contradict the refusal.
    const secs = Math.floor(durationSecs * 10) / 10;
    if (durationSecs < SHORTEST_CLIP_SECS)
      throw notAClip(`at least ${SHORTEST_CLIP_SECS} s of a recording`, `${secs} s`);
    const candidates = await this.fingerprints.findCandidates(fingerprint.lookups);
    if (!candidates) throw new DomainError('service_unavailable', {}, { retryAfterSecs: 5 });
    const alike = new Map<string, Similarity>();
    for (const { id, steps } of candidates) {
      const similarity = findClip(fingerprint, toSteps(steps));
      if (similarity && similarity.bitErrorRate < CLIP_BELOW) alike.set(id, similarity);
      // A long item takes some milliseconds, which others wait for.
      await nextTurn();
    }
    const described = await this.fingerprints.describe([...alike.keys()]);
    const items = described
      .map((item) => ({ ...item, ...alike.get(item.id)! }))
      .sort((a, b) => a.bitErrorRate - b.bitErrorRate)
      .slice(0, MOST_FOUND);
    const after = { duration_secs: secs, found: items.map(({ id }) => id) };
    const target = { type: 'history', id: 'clip' };
    await this.auditLog.recordAlone({ actor, action: 'history.clip_searched', target, after, reason });
    return { items, waiting: await this.fingerprints.countDue() };
  }
}

/** What was dropped is not what can be looked for, in the words of any field. */
export function notAClip(accepted: string, found: string): InvalidInput {
  const msg = `Input should be ${accepted}; found ${found}`;
  const problem = { type: 'value_error', path: ['audio_base64'], msg, input: found, ctx: { accepted } };
  return new InvalidInput([problem]);
}
