import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ServiceAccount } from './service-account.entity';

@Injectable()
export class ServiceAccountRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores a new service account. */
  async insert(serviceAccount: ServiceAccount, em: EntityManager): Promise<void> {
    await em.insert(ServiceAccount, serviceAccount);
  }

  /** Service accounts of an account, oldest first. There are a hundred at the most. */
  async list(accountId: string, em: EntityManager = this.dataSource.manager): Promise<ServiceAccount[]> {
    return em.find(ServiceAccount, { where: { accountId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** A service account of this account; null for an unknown one and for another account's. */
  async findOwned(
    id: string,
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<ServiceAccount | null> {
    return em.findOneBy(ServiceAccount, { id, accountId });
  }

  async count(accountId: string, em: EntityManager): Promise<number> {
    return em.countBy(ServiceAccount, { accountId });
  }
}
