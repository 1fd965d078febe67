import type { CommentRow } from '@app/database/reviews/voice-comment.repository';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { StringField } from '../http/fields';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { VoiceCommentsService } from '@app/administration/reviews/voice-comments.service';

export class CommentBody {
  @StringField({ min: 1, max: 2_000 })
  text: string;
}

export interface VoiceCommentResponse {
  id: string;
  text: string;
  /** Null when the member of staff is gone. */
  written_by: string | null;
  written_at: string;
  /** Whether the caller wrote it, and may delete it. */
  own: boolean;
}

@Controller('admin/voices/:voice_id/comments')
export class StaffVoiceCommentsController {
  constructor(private readonly comments: VoiceCommentsService) {}

  /** Newest first, at most 200. Customers never see them. */
  @Get() // List the comments of staff on a voice
  @RequireStaff('voices.read')
  async list(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
  ): Promise<{ items: VoiceCommentResponse[] }> {
    return toComments(staff, await this.comments.list(voiceId));
  }

  @Post() // Comment on a voice
  @RequireStaff('voices.review')
  async add(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @Body() { text }: CommentBody,
  ): Promise<{ items: VoiceCommentResponse[] }> {
    return toComments(staff, await this.comments.add(staff, voiceId, text));
  }

  @Delete(':comment_id') // Delete a comment on a voice
  @HttpCode(204)
  @RequireStaff('voices.review')
  async delete(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @Param('comment_id') commentId: string,
  ): Promise<void> {
    await this.comments.delete(staff, voiceId, commentId);
  }
}

function toComments(staff: Staff, rows: CommentRow[]): { items: VoiceCommentResponse[] } {
  const items = rows.map(({ id, text, writerName, writtenBy, writtenAt }) => ({
    id,
    text,
    written_by: writerName,
    written_at: writtenAt.toISOString(),
    own: writtenBy === staff.id,
  }));
  return { items };
}
