import { ListReader } from '@app/database/list-reader';
import type { Account } from '@app/database/accounts/account.entity';
import {
  ACCOUNT_ORDERS,
  AccountRepository,
  type AccountFilter,
  type AccountUsage,
} from '@app/database/accounts/account.repository';
import { Injectable } from '@nestjs/common';
import { isUuid } from '@app/domain/common/uuid';
import { toPage, type ListIdentity, type Page } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';
import { accountNotFound } from './account-changes.service';
import type { AccountQuery } from './staff-account.dto';

@Injectable()
export class AccountSearchService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly reader: ListReader,
  ) {}

  async list(query: AccountQuery): Promise<Page<Account>> {
    const filter = toFilter(query);
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

function toFilter({ search, tier, status, ip_allow_list }: AccountQuery): AccountFilter {
  const wanted = search?.trim() || undefined;
  return {
    ...(wanted !== undefined && (isUuid(wanted) ? { id: wanted } : { namePart: wanted })),
    tier,
    status,
    ipAllowListEnabled: ip_allow_list === undefined ? undefined : ip_allow_list === 'true',
  };
}
