import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { RolePolicy } from './role-policy.entity';

/** What each role requires of its members. */
@Injectable()
export class RolePolicyRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async list(): Promise<RolePolicy[]> {
    return this.dataSource.manager.find(RolePolicy);
  }

  async get(role: StaffRole, em: EntityManager = this.dataSource.manager): Promise<RolePolicy> {
    return em.findOneByOrFail(RolePolicy, { role });
  }

  /** A policy, locked until the transaction ends. */
  async lock(role: StaffRole, em: EntityManager): Promise<RolePolicy> {
    return em.findOneOrFail(RolePolicy, { where: { role }, lock: { mode: 'pessimistic_write' } });
  }

  async update(
    role: StaffRole,
    change: Pick<RolePolicy, 'secondFactorRequired'>,
    em: EntityManager,
  ): Promise<void> {
    await em.update(RolePolicy, { role }, { ...change, version: () => 'version + 1' });
  }
}
