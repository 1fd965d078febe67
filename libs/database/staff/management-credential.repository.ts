import { isUuid } from '@app/domain/common/uuid';
import type { ProvingParam } from '@app/domain/staff/management-grants';
import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { withinBounds } from '../accounts/account-conditions';
import { ManagementCredential } from './management-credential.entity';

/** A use is marked at most this often. */
const TOUCH_SECS = 30;

/** What a request with a credential is checked against, with the role that its creator has now. */
export interface LiveManagement extends Pick<
  ManagementCredential,
  | 'id'
  | 'name'
  | 'permissions'
  | 'accounts'
  | 'accountIds'
  | 'tag'
  | 'allowedIps'
  | 'requestsPerMinute'
  | 'creatorId'
> {
  role: StaffRole;
}

type ManagementPatch = Partial<
  Omit<ManagementCredential, 'id' | 'creatorId' | 'createdBy' | 'createdAt' | 'version'>
>;

const LIVE = `SELECT c.id, c.name, c.permissions, c.accounts, c.account_ids AS "accountIds", c.tag,
    c.allowed_ips AS "allowedIps", c.requests_per_minute AS "requestsPerMinute", c.creator_id AS "creatorId", m.role
  FROM management_credential c JOIN staff_auth.member m ON m.id = c.creator_id AND m.disabled_at IS NULL
  WHERE c.disabled_at IS NULL AND c.deleted_at IS NULL AND c.expires_at > now()`;

/** The account `a` of the object with the id $2. */
const OBJECTS: Record<ProvingParam, string> = {
  account_id: 'account a WHERE a.id = $2',
  key_id: 'api_key o JOIN account a ON a.id = o.account_id WHERE o.id = $2',
  voice_id: 'voice o JOIN account a ON a.id = o.account_id WHERE o.id = $2',
  approval_id: 'approval o JOIN account a ON a.id = o.account_id WHERE o.id = $2',
};

@Injectable()
export class ManagementCredentialRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * The credential whose secret has this digest; null when it has ended, or its creator may not sign in. Always read, like a
   * session: what is changed of it or of its creator holds from the next request on.
   */
  async findByDigest(digest: string): Promise<LiveManagement | null> {
    const rows = await this.dataSource.query<LiveManagement[]>(
      `${LIVE} AND (c.digest = $1 OR c.old_digest = $1 AND c.old_until > now())`,
      [digest],
    );
    return rows[0] ?? null;
  }

  async findLive(id: string, em: EntityManager = this.dataSource.manager): Promise<LiveManagement | null> {
    const rows = await em.query<LiveManagement[]>(`${LIVE} AND c.id = $1`, [id]);
    return rows[0] ?? null;
  }

  async markUsed(id: string, address: string | null): Promise<void> {
    await this.dataSource.query(
      `UPDATE management_credential SET last_used_at = now(), last_used_address = $2
       WHERE id = $1 AND (last_used_at < now() - make_interval(secs => $3) OR last_used_at IS NULL
         OR last_used_address IS DISTINCT FROM $2)`,
      [id, address, TOUCH_SECS],
    );
  }

  /** Whether a credential may touch what an id in a path names. */
  async isWithin(id: string, param: ProvingParam, value: string): Promise<boolean> {
    if (param !== 'voice_id' && !isUuid(value)) return false;
    const sql = `SELECT 1 FROM ${OBJECTS[param]} AND ${withinBounds('a', '$1')}`;
    return (await this.dataSource.query<unknown[]>(sql, [id, value])).length > 0;
  }

  async insert(credential: ManagementCredential, em: EntityManager): Promise<void> {
    await em.insert(ManagementCredential, credential);
  }

  /** A credential that is not deleted, or null. */
  async find(id: string): Promise<ManagementCredential | null> {
    return this.dataSource.manager.findOneBy(ManagementCredential, { id, deletedAt: IsNull() });
  }

  /** The same, locked until the transaction ends. */
  async lock(id: string, em: EntityManager): Promise<ManagementCredential | null> {
    return em.findOne(ManagementCredential, {
      where: { id, deletedAt: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Changes a credential and counts the change. */
  async update(id: string, patch: ManagementPatch, em: EntityManager): Promise<void> {
    await em.update(ManagementCredential, { id }, { ...patch, version: () => 'version + 1' });
  }

  /** Credentials that are not deleted, newest first, after a position. */
  async list(
    after: { createdAt: string; id: string } | null,
    limit: number,
  ): Promise<{ credential: ManagementCredential; position: string }[]> {
    const query = this.dataSource.manager
      .createQueryBuilder(ManagementCredential, 's')
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
  async listAll(): Promise<ManagementCredential[]> {
    return this.dataSource.manager.find(ManagementCredential, {
      where: { deletedAt: IsNull() },
      order: { name: 'ASC', createdAt: 'ASC' },
    });
  }

  async count(): Promise<number> {
    return this.dataSource.manager.countBy(ManagementCredential, { deletedAt: IsNull() });
  }
}
