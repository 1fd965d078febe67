import { VoiceRepository } from '@app/database/voices/voice.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AuditLog, type AuditEntry } from '@app/administration/audit/audit-log';
import { byStaff } from '@app/administration/audit/audit-actors';
import type { Recording } from '../http/audio-response';
import type { Staff } from '@app/domain/staff/staff';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { VoicesService } from './voices.service';

/** A player requests a recording piece by piece; for this long that is one listening. */
const ONE_LISTENING_MS = 5 * 60_000;

/** Hands recordings to staff, and writes down who listened to which and why. */
@Injectable()
export class VoiceListeningService {
  private readonly noted = new LRUCache<string, true>({ max: 10_000, ttl: ONE_LISTENING_MS });

  constructor(
    private readonly voices: VoiceRepository,
    private readonly recordings: VoicesService,
    private readonly auditLog: AuditLog,
  ) {}

  /** The first recording of a voice, or that of a sample; the listening is recorded before any of it is sent. */
  async listen(
    staff: Staff,
    voiceId: string,
    { reason, sampleId }: { reason: string; sampleId?: string },
  ): Promise<Recording> {
    const voice = isPublicId(voiceId) ? await this.voices.find(voiceId) : null;
    if (!voice) throw voiceNotFound(voiceId);
    await this.note(staff, { voiceId, accountId: voice.accountId, reason });
    return this.recordings.getRecording(voiceId, sampleId);
  }

  private async note(
    staff: Staff,
    { voiceId, accountId, reason }: { voiceId: string; accountId: string; reason: string },
  ): Promise<void> {
    const key = JSON.stringify([staff.sessionId, voiceId, reason]);
    if (this.noted.has(key)) return;
    const event: AuditEntry = {
      actor: byStaff(staff),
      action: 'voice.listened',
      target: { type: 'voice', id: voiceId, accountId },
      reason,
    };
    await this.auditLog.recordAlone(event);
    this.noted.set(key, true);
  }
}
