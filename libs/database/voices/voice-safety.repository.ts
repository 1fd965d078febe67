import type { SafetyState } from '@app/domain/voices/voice-safety';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, IsNull, Not, type EntityManager } from 'typeorm';
import { Voice } from './voice.entity';

/** A voice before a decision about one that it came of, and after it. */
export interface InheritedSafety {
  voice: Voice;
  before: SafetyState | null;
}

/** What staff have decided against voices, and what that means for those that came of them. */
@Injectable()
export class VoiceSafetyRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** One of these voices that is held or taken down; null when none is. */
  async findUnreleased(
    voiceIds: readonly string[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<Voice | null> {
    if (voiceIds.length === 0) return null;
    return em.findOneBy(Voice, { id: In(voiceIds), safetyState: Not(IsNull()) });
  }

  /** The same for a voice that is about to come of them: no decision about one of them is stored before the transaction ends. */
  async lockUnreleased(voiceIds: readonly string[], em: EntityManager): Promise<Voice | null> {
    if (voiceIds.length === 0) return null;
    await em.query('SELECT 1 FROM voice WHERE id = ANY ($1) ORDER BY id FOR SHARE', [voiceIds]);
    return this.findUnreleased(voiceIds, em);
  }

  /** Stores a decision about a locked voice. */
  async decide(
    id: string,
    decided: Pick<Voice, 'safetyState' | 'safetyNotice'>,
    em: EntityManager,
  ): Promise<void> {
    await em.update(Voice, { id }, { ...decided, safetyOriginId: null });
  }

  /**
   * Gives every voice that came of one, and that has no decision of staff about itself, the gravest decision about a voice
   * that it came of. Returns those for which that is another one than before.
   */
  async inherit(originId: string, em: EntityManager): Promise<InheritedSafety[]> {
    const [rows] = await em.query<[{ id: string; before: SafetyState | null }[], number]>(
      `WITH next AS (
         SELECT v.id, v.safety_state AS before, o.id AS origin_id, o.safety_state, o.safety_notice
         FROM voice v LEFT JOIN LATERAL (
           SELECT id, safety_state, safety_notice FROM voice
           WHERE id = ANY (v.origin_voice_ids) AND safety_state IS NOT NULL AND safety_origin_id IS NULL
           ORDER BY safety_state = 'taken_down' DESC, id LIMIT 1
         ) o ON true
         WHERE v.origin_voice_ids <> '{}' AND v.origin_voice_ids @> ARRAY[$1]
           AND (v.safety_state IS NULL OR v.safety_origin_id IS NOT NULL)
         ORDER BY v.id FOR UPDATE OF v
       )
       UPDATE voice v SET safety_state = n.safety_state, safety_notice = n.safety_notice, safety_origin_id = n.origin_id
       FROM next n WHERE n.id = v.id AND (v.safety_state, v.safety_notice, v.safety_origin_id)
         IS DISTINCT FROM (n.safety_state, n.safety_notice, n.origin_id)
       RETURNING v.id, n.before`,
      [originId],
    );
    const voices = await em.findBy(Voice, { id: In(rows.map(({ id }) => id)) });
    const before = new Map(rows.map((row) => [row.id, row.before]));
    return voices.map((voice) => ({ voice, before: before.get(voice.id) ?? null }));
  }

  /** Before a voice that is held or taken down is deleted: what came of it stays as refused as it is. */
  async outlive({ id, safetyState }: Voice, em: EntityManager): Promise<void> {
    if (safetyState === null) return;
    await em.update(Voice, { safetyOriginId: id }, { safetyOriginId: null });
    await em.query(
      `UPDATE preview SET expires_at = now()
       WHERE origin_voice_ids <> '{}' AND origin_voice_ids @> ARRAY[$1] AND voice_id IS NULL AND expires_at > now()`,
      [id],
    );
  }
}
