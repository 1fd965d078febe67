import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Account } from '../entities/account.entity';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

@Injectable()
export class AccountRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores a new account. */
  async insert(account: Account, em: EntityManager = this.dataSource.manager): Promise<void> {
    await em.insert(Account, account);
  }

  /** The account with this id, or else the only one with this name; null when there is none or the name is ambiguous. */
  async findByIdOrName(
    idOrName: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<Account | null> {
    if (UUID.test(idOrName)) return em.findOneBy(Account, { id: idOrName });
    const found = await em.find(Account, { where: { name: idOrName }, take: 2 });
    return found.length === 1 ? found[0]! : null;
  }

  /** Whether there is any account at all: false only before the first run. */
  async existsAny(em: EntityManager = this.dataSource.manager): Promise<boolean> {
    return em.exists(Account, { where: {} });
  }

  /** Locks the account's row until the transaction ends, so that what it owns can be counted and added to. */
  async lock(id: string, em: EntityManager): Promise<Account | null> {
    return em.findOne(Account, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }
}
