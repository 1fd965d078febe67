import {
  ApprovalRepository,
  type ApprovalFilter,
  type ListedApproval,
} from '@app/database/approvals/approval.repository';
import { Injectable } from '@nestjs/common';
import { toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';

const ORDERS = { requested_at: { type: 'timestamptz' as const } };

/** Lists what waits for a second person. Read from the primary: what was just decided does not wait. */
@Injectable()
export class ApprovalSearchService {
  constructor(private readonly approvals: ApprovalRepository) {}

  /** One page: those that wait, then the others, newest first. */
  async list(filter: ApprovalFilter, query: PageQuery): Promise<Page<ListedApproval>> {
    const list: ListIdentity = { name: 'approvals', filter: { ...filter } };
    const { limit, after } = readSortedPage(ORDERS, '-requested_at', query, list);
    const [rows, total] = await Promise.all([
      this.approvals.list(filter, { after, limit: limit + 1 }),
      this.approvals.count(filter),
    ]);
    return toPage(rows, limit, list, total, ({ position, id }) => [position, id]);
  }
}
