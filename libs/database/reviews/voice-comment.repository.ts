import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { VoiceComment } from './voice-comment.entity';

/** Comments that are shown of one voice, the newest. */
const SHOWN = 200;

export interface CommentRow {
  id: string;
  text: string;
  writtenBy: string;
  /** Null when the member of staff is gone. */
  writerName: string | null;
  writtenAt: Date;
}

/** What staff noted about voices. */
@Injectable()
export class VoiceCommentRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(voiceId: string): Promise<CommentRow[]> {
    return this.dataSource.query(
      `SELECT c.id, c.text, c.written_by AS "writtenBy", m.name AS "writerName", c.written_at AS "writtenAt"
       FROM voice_comment c LEFT JOIN staff_auth.member m ON m.id = c.written_by
       WHERE c.voice_id = $1 ORDER BY c.written_at DESC, c.id LIMIT $2`,
      [voiceId, SHOWN],
    );
  }

  async insert(voiceId: string, text: string, staffId: string, em: EntityManager): Promise<void> {
    await em.insert(VoiceComment, { id: randomUUID(), voiceId, text, writtenBy: staffId });
  }

  /** Deletes a comment of this member of staff. Returns its text; null when they have none with this id there. */
  async delete(id: string, voiceId: string, staffId: string, em: EntityManager): Promise<string | null> {
    const [rows] = await em.query<[{ text: string }[], number]>(
      'DELETE FROM voice_comment WHERE id = $1 AND voice_id = $2 AND written_by = $3 RETURNING text',
      [id, voiceId, staffId],
    );
    return rows[0]?.text ?? null;
  }
}
