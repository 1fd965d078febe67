import { ListReader } from '@app/database/list-reader';
import type { Account } from '@app/database/accounts/account.entity';
import {
  ACCOUNT_ORDERS,
  AccountRepository,
  type AccountFilter,
  type AccountPage,
  type AccountStanding,
  type AccountUsage,
} from '@app/database/accounts/account.repository';
import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import { KeyUndoRepository } from '@app/database/keys/key-undo.repository';
import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';
import { MANAGER_ROLES } from '@app/administration/accounts/account-changes.service';

/** An account and the member of staff who looks after it. */
export interface ManagedAccount {
  account: Account;
  manager: StaffMember | null;
}

/** With what it uses in its billing period, and what its settings were before their last change. */
export type AccountDetail = ManagedAccount & { usage: AccountUsage; undos: KeyUndo[] };

export type ListedAccount = ManagedAccount & { standing: AccountStanding };

const MANAGERS_SHOWN = 200;

/** Whether a list reads the ledger, or what was refused: only the cell of an account has those. */
function needsTraffic({ lastsAtMostSecs, hasRefusals }: AccountFilter, { order }: AccountPage): boolean {
  const isFiltered = lastsAtMostSecs !== undefined || hasRefusals !== undefined;
  return isFiltered || order === 'lasts' || order === 'refused_requests';
}

@Injectable()
export class AccountSearchService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly reader: ListReader,
    private readonly staff: StaffRepository,
    private readonly undos: KeyUndoRepository,
  ) {}

  async list(filter: AccountFilter, query: PageQuery & { sort: string }): Promise<Page<ListedAccount>> {
    const list: ListIdentity = { name: 'accounts', filter: { ...filter }, sort: query.sort };
    const page = readSortedPage(ACCOUNT_ORDERS, query.sort, query, list);
    const readPage = (em?: EntityManager) =>
      Promise.all([
        this.accounts.list(filter, { ...page, limit: page.limit + 1 }, em),
        this.accounts.count(filter, em),
      ]);
    // Bounds hold as they are now, which a replica may not know.
    const isBounded = filter.withinCredential !== undefined;
    const [rows, total] = await (isBounded
      ? readPage()
      : needsTraffic(filter, page)
        ? this.reader.readOfCell(readPage)
        : this.reader.read(readPage));
    const found = toPage(rows, page.limit, list, total, ({ account, position }) => [position, account.id]);
    const accounts = found.items.map(({ account }) => account);
    const [managed, byId] = await Promise.all([this.withManagers(accounts), this.standingsOf(accounts)]);
    const items = managed.flatMap((one) => {
      const standing = byId.get(one.account.id);
      return standing ? [{ ...one, standing }] : [];
    });
    return { ...found, items };
  }

  /** Of accounts of other cells, a reporting database knows neither the forecast nor the refusals. */
  private async standingsOf(accounts: Account[]): Promise<Map<string, AccountStanding>> {
    const ids = accounts.map(({ id }) => id);
    const list = (em: EntityManager) => this.accounts.listStandings(ids, em);
    const [standings, ofCell] = await this.reader.readBoth(list, list);
    return new Map([...standings, ...(ofCell ?? [])].map((standing) => [standing.accountId, standing]));
  }

  /** Who may be assigned to an account, by name. */
  async listManagers(): Promise<StaffMember[]> {
    return this.staff.listActive(MANAGER_ROLES, MANAGERS_SHOWN);
  }

  /** An account with what it uses in its billing period. */
  async get(id: string): Promise<AccountDetail> {
    const account = await this.accounts.get(id);
    const [usage, undos, manager] = await Promise.all([
      this.accounts.getUsage(id),
      this.undos.list(id),
      account.managerId === null ? null : this.staff.find(account.managerId),
    ]);
    return { account, manager, usage, undos };
  }

  private async withManagers(accounts: Account[]): Promise<ManagedAccount[]> {
    const ids = accounts.flatMap(({ managerId }) => managerId ?? []);
    const members = new Map(
      (await this.staff.findMany([...new Set(ids)])).map((member) => [member.id, member]),
    );
    return accounts.map((account) => ({ account, manager: members.get(account.managerId ?? '') ?? null }));
  }
}
