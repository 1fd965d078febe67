import type { AuditActor } from '../audit/audit-actors';
import { AppConfig } from '@app/config/app-config';
import { ListeningRepository } from '@app/database/reviews/listening.repository';
import { ReviewItemRepository } from '@app/database/reviews/review-item.repository';
import type { RecordingGrade } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import type { EntityManager } from 'typeorm';

interface StatedGrade {
  voiceId: string;
  grade: RecordingGrade;
  /** Whether the voice had another grade before. */
  isOverride: boolean;
}

/** Keeps the grades that people give, and asks a second person about some of them. */
@Injectable()
export class SecondListenings {
  constructor(
    private readonly listenings: ListeningRepository,
    private readonly items: ReviewItemRepository,
    private readonly config: AppConfig,
  ) {}

  /** Notes a first grade. A second person listens to every override, and to a share of the grades that stay. */
  async noteFirst(
    { id: staffId }: AuditActor,
    { voiceId, grade, isOverride }: StatedGrade,
    em: EntityManager,
  ): Promise<void> {
    const id = await this.listenings.insert({ voiceId, grade, firstId: null, staffId }, em);
    if (isOverride || randomInt(100) < this.config.reviewSecondListeningPercent)
      await this.items.openBlind(voiceId, { listeningId: id, staffId }, em);
  }
}
