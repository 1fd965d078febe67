import { byStaff } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { VoiceCommentRepository, type CommentRow } from '@app/database/reviews/voice-comment.repository';
import type { Voice } from '@app/database/voices/voice.entity';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import type { Staff } from '@app/domain/staff/staff';
import { Injectable } from '@nestjs/common';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import type { AuditEntry } from '../audit/audit-log';

/** What staff note about voices, for each other. */
@Injectable()
export class VoiceCommentsService {
  constructor(
    private readonly comments: VoiceCommentRepository,
    private readonly voices: VoiceRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** Newest first. */
  async list(voiceId: string): Promise<CommentRow[]> {
    const { id } = await this.getVoice(voiceId);
    return this.comments.list(id);
  }

  /** Adds a comment. Returns all of the voice's. */
  async add(staff: Staff, voiceId: string, text: string): Promise<CommentRow[]> {
    const { id, accountId } = await this.getVoice(voiceId);
    await this.changes.make(async (em) => {
      await this.comments.insert(id, text, staff.id, em);
      const target = { type: 'voice', id, accountId };
      const event: AuditEntry = {
        actor: byStaff(staff),
        action: 'voice.commented',
        target,
        after: { comment: text },
      };
      return { result: undefined, events: [event] };
    });
    return this.comments.list(id);
  }

  /** Deletes a comment that this member of staff wrote. */
  async delete(staff: Staff, voiceId: string, commentId: string): Promise<void> {
    const { id, accountId } = await this.getVoice(voiceId);
    await this.changes.make(async (em) => {
      const text = isUuid(commentId) ? await this.comments.delete(commentId, id, staff.id, em) : null;
      if (text === null) throw new DomainError('comment_not_found', { commentId }, { param: 'comment_id' });
      const target = { type: 'voice', id, accountId };
      const event: AuditEntry = {
        actor: byStaff(staff),
        action: 'voice.comment_deleted',
        target,
        before: { comment: text },
      };
      return { result: undefined, events: [event] };
    });
  }

  private async getVoice(voiceId: string): Promise<Voice> {
    const voice = isPublicId(voiceId) ? await this.voices.find(voiceId) : null;
    if (!voice) throw voiceNotFound(voiceId);
    return voice;
  }
}
