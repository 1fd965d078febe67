import {
  KeySafetyRepository,
  SAFETY_ORDERS,
  type SafetyPage,
  type ScoredAccount,
} from '@app/database/key-safety/key-safety.repository';
import { ListReader } from '@app/database/list-reader';
import { Injectable } from '@nestjs/common';
import { toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';

/** Accounts by how safe their keys are. */
@Injectable()
export class SafetyListService {
  constructor(
    private readonly safety: KeySafetyRepository,
    private readonly reader: ListReader,
  ) {}

  async list(
    filter: Pick<SafetyPage, 'managerId' | 'withinCredential'>,
    query: PageQuery & { sort: string },
  ): Promise<Page<ScoredAccount>> {
    const list: ListIdentity = { name: 'key-safety', filter, sort: query.sort };
    const page = readSortedPage(SAFETY_ORDERS, query.sort, query, list);
    const { rows, total } = await this.reader.read((em) =>
      this.safety.listAccounts({ ...page, ...filter, limit: page.limit + 1 }, em),
    );
    return toPage(rows, page.limit, list, total, ({ position, accountId }) => [position, accountId]);
  }
}
