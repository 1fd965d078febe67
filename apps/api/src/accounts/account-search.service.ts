import { ListReader } from '@app/database/list-reader';
import type { Account } from '@app/database/accounts/account.entity';
import {
  ACCOUNT_ORDERS,
  AccountRepository,
  type AccountFilter,
  type AccountUsage,
} from '@app/database/accounts/account.repository';
import { Injectable } from '@nestjs/common';
import { toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';
import { accountNotFound } from './account-changes.service';

@Injectable()
export class AccountSearchService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly reader: ListReader,
  ) {}

  async list(filter: AccountFilter, query: PageQuery & { sort: string }): Promise<Page<Account>> {
    const list: ListIdentity = { name: 'accounts', filter: { ...filter }, sort: query.sort };
    const page = readSortedPage(ACCOUNT_ORDERS, query.sort, query, list);
    const [rows, total] = await this.reader.read((em) =>
      Promise.all([
        this.accounts.list(filter, { ...page, limit: page.limit + 1 }, em),
        this.accounts.count(filter, em),
      ]),
    );
    const found = toPage(rows, page.limit, list, total, ({ account, position }) => [position, account.id]);
    return { ...found, items: found.items.map(({ account }) => account) };
  }

  /** An account with what it uses in its billing period. */
  async get(id: string): Promise<{ account: Account; usage: AccountUsage }> {
    const account = await this.accounts.find(id);
    if (!account) throw accountNotFound(id);
    return { account, usage: await this.accounts.getUsage(id) };
  }
}
