import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ForwardRule } from '@app/domain/keys/forward-rules';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { ServiceCredential } from './service-credential.entity';

/** What the hook needs to know of a credential. */
export interface KnownService {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  /** Which requests it may forward, and what they need and cost. */
  readonly forwardRules: readonly ForwardRule[];
}

type ServicePatch = Partial<Pick<ServiceCredential, 'disabledAt' | 'deletedAt' | 'forwardRules'>>;

/** When and from where a credential was last used. */
export interface ServiceUse {
  id: string;
  at: Date;
  address: string | null;
}

@Injectable()
export class ServiceCredentialRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insert(credential: ServiceCredential, em: EntityManager): Promise<void> {
    await em.insert(ServiceCredential, credential);
  }

  /** The service whose secret has this digest, enabled or not; null when none has, or it was deleted. */
  async findByDigest(digest: string): Promise<KnownService | null> {
    const rows = await this.dataSource.query<KnownService[]>(
      `SELECT id, name, disabled_at IS NOT NULL AS disabled, forward_rules AS "forwardRules" FROM service_credential
       WHERE digest = $1 AND deleted_at IS NULL`,
      [digest],
    );
    return rows[0] ?? null;
  }

  /** A credential that is not deleted, or null. */
  async find(id: string, em: EntityManager = this.dataSource.manager): Promise<ServiceCredential | null> {
    return em.findOneBy(ServiceCredential, { id, deletedAt: IsNull() });
  }

  /** The same, locked until the transaction ends. */
  async lock(id: string, em: EntityManager): Promise<ServiceCredential | null> {
    return em.findOne(ServiceCredential, {
      where: { id, deletedAt: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Changes a credential and counts the change. */
  async update(id: string, patch: ServicePatch, em: EntityManager): Promise<void> {
    await em.update(ServiceCredential, { id }, { ...patch, version: () => 'version + 1' });
  }

  /** Credentials that are not deleted, newest first, after a position. */
  async list(
    after: { createdAt: string; id: string } | null,
    limit: number,
  ): Promise<{ credential: ServiceCredential; position: string }[]> {
    const query = this.dataSource.manager
      .createQueryBuilder(ServiceCredential, 's')
      .addSelect('s.created_at::text', 'position')
      .where('s.deletedAt IS NULL')
      .orderBy('s.createdAt', 'DESC')
      .addOrderBy('s.id', 'DESC')
      .limit(limit);
    if (after) query.andWhere('(s.created_at, s.id) < (:createdAt::timestamptz, :id::uuid)', after);
    const { entities, raw } = await query.getRawAndEntities<{ position: string }>();
    return entities.map((credential, index) => ({ credential, position: raw[index]!.position }));
  }

  /** All that are not deleted, by name. */
  async listAll(): Promise<ServiceCredential[]> {
    return this.dataSource.manager.find(ServiceCredential, {
      where: { deletedAt: IsNull() },
      order: { name: 'ASC', createdAt: 'ASC' },
    });
  }

  async count(): Promise<number> {
    return this.dataSource.manager.countBy(ServiceCredential, { deletedAt: IsNull() });
  }

  /** Notes uses; older ones change nothing. */
  async markUsed(uses: ServiceUse[]): Promise<void> {
    await this.dataSource.query(
      `UPDATE service_credential s SET last_used_at = u.at, last_used_address = u.address
       FROM (SELECT u.* FROM unnest($1::uuid[], $2::timestamptz[], $3::text[]) AS u (id, at, address)
             JOIN service_credential l ON l.id = u.id ORDER BY u.id FOR UPDATE OF l) u
       WHERE s.id = u.id AND (s.last_used_at IS NULL OR s.last_used_at < u.at)`,
      [uses.map(({ id }) => id), uses.map(({ at }) => at), uses.map(({ address }) => address)],
    );
  }
}
