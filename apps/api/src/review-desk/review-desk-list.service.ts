import {
  ReviewItemRepository,
  type DeskFilter,
  type DeskItem,
} from '@app/database/reviews/review-item.repository';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { readPage, toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { toPosition } from '../http/sorted-list';

/** The voices on the review desk, in pages. */
@Injectable()
export class ReviewDeskListService {
  constructor(private readonly items: ReviewItemRepository) {}

  async list(filter: DeskFilter, query: PageQuery): Promise<Page<DeskItem>> {
    const list: ListIdentity = { name: 'review-desk', filter: { ...filter } };
    const { limit, after } = readPage(query, list, 3);
    const [rows, total] = await Promise.all([
      this.items.list(filter, { limit: limit + 1, after: after && readPosition(after, list) }),
      this.items.count(filter),
    ]);
    return toPage(rows, limit, list, total, ({ rank, at, id }) => [rank, at, id]);
  }
}

function readPosition([rank, at, id]: (string | number | null)[], list: ListIdentity) {
  const position = toPosition([at ?? null, id ?? null], 'timestamptz', list, isUuid);
  if (!Number.isInteger(rank) || Math.abs(Number(rank)) > 100)
    throw new DomainError('invalid_cursor', { reason: 'it is damaged' }, { param: 'cursor' });
  return { rank: Number(rank), at: position.value, id: position.id };
}
