import type { AppealCounts, AppealOutcome } from '@app/domain/reviews/appeal';
import type { RecordingGrade } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { ReviewAppeal } from './review-appeal.entity';

type NewAppeal = Pick<
  ReviewAppeal,
  'voiceId' | 'itemId' | 'generation' | 'ruleset' | 'grade' | 'text' | 'madeBy'
>;

interface AppealResponse {
  outcome: AppealOutcome;
  answer: string;
  grade: RecordingGrade;
  by: string;
}

/** Appeals of customers against verdicts. */
@Injectable()
export class ReviewAppealRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insert(appeal: NewAppeal, em: EntityManager): Promise<ReviewAppeal> {
    const id = randomUUID();
    await em.insert(ReviewAppeal, { id, ...appeal });
    return em.findOneByOrFail(ReviewAppeal, { id });
  }

  /** The latest appeal of a voice, or null. */
  async findLatest(
    voiceId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<ReviewAppeal | null> {
    return em.findOne(ReviewAppeal, { where: { voiceId }, order: { generation: 'DESC' } });
  }

  /** The open appeal of a voice, or null. */
  async findOpen(voiceId: string, em: EntityManager): Promise<ReviewAppeal | null> {
    return em.findOneBy(ReviewAppeal, { voiceId, answeredAt: IsNull() });
  }

  /** The appeal that one item of the review desk is about, or null. */
  async findOfItem(itemId: string, em: EntityManager): Promise<ReviewAppeal | null> {
    return em.findOne(ReviewAppeal, { where: { itemId }, order: { generation: 'DESC' } });
  }

  /** Answers an open appeal. */
  async answer(id: string, { outcome, answer, grade, by }: AppealResponse, em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE review_appeal SET outcome = $2, answer = $3, answered_grade = $4, answered_by = $5, answered_at = now()
       WHERE id = $1`,
      [id, outcome, answer, grade, by],
    );
  }

  /** How often the verdicts of each ruleset were appealed, and how that ended. */
  async countByRuleset(): Promise<(AppealCounts & { ruleset: string })[]> {
    return this.dataSource.query(
      `SELECT ruleset, count(*) FILTER (WHERE outcome IS NULL)::int AS open,
         count(*) FILTER (WHERE outcome = 'grade_kept')::int AS kept,
         count(*) FILTER (WHERE outcome = 'grade_changed')::int AS changed
       FROM review_appeal WHERE ruleset IS NOT NULL GROUP BY ruleset ORDER BY ruleset`,
    );
  }
}
