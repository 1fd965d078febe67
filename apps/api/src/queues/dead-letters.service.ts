import { ReviewFlowRepository, type BatchProgress } from '@app/database/reviews/review-flow.repository';
import { STAFF_VOICE_ORDERS, type StaffVoiceFilter } from '@app/database/voices/staff-voice-filter';
import {
  StaffVoiceRepository,
  type FailureCause,
  type VoiceRow,
} from '@app/database/voices/staff-voice.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';

const MAX_CAUSES = 20;

export interface DeadLetters extends Page<VoiceRow> {
  /** Most frequent first, on all pages together. */
  causes: FailureCause[];
}

/** Reviews that failed after their last attempt and wait for staff. They are stored with their voices, not in the queue. */
@Injectable()
export class DeadLettersService {
  constructor(
    private readonly voices: StaffVoiceRepository,
    private readonly flow: ReviewFlowRepository,
  ) {}

  async list(query: PageQuery & { sort: string }, filter: StaffVoiceFilter): Promise<DeadLetters> {
    const list: ListIdentity = { name: 'dead-letters', filter: { ...filter }, sort: query.sort };
    const page = readSortedPage(STAFF_VOICE_ORDERS, query.sort, query, list, isPublicId);
    const [rows, total, causes] = await Promise.all([
      this.voices.list(filter, { ...page, limit: page.limit + 1 }),
      this.voices.count(filter),
      this.voices.listCauses(filter, MAX_CAUSES),
    ]);
    return { ...toPage(rows, page.limit, list, total, ({ position, id }) => [position, id]), causes };
  }

  /** How far the dead letters are that were retried at once. */
  async retryProgress(id: string): Promise<BatchProgress> {
    const progress = isUuid(id) ? await this.flow.findRetryProgress(id) : null;
    if (!progress) throw new DomainError('retry_not_found', {}, { param: 'retry_id' });
    return progress;
  }
}
