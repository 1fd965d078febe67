import { isUuid } from '@app/domain/common/uuid';
import type { ManagementState, ProvingParam } from '@app/domain/staff/management-grants';
import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { hasKeysWithinBounds, withinBounds } from '../accounts/account-conditions';
import { ManagementCredential } from './management-credential.entity';

/** A use is marked at most this often. */
const TOUCH_SECS = 30;

/** What the gates check a request with a credential against. */
export interface VerifiableManagement
  extends
    ManagementState,
    Pick<
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
  /** Of its creator, now. */
  role: StaffRole;
}

type ManagementPatch = Partial<
  Omit<ManagementCredential, 'id' | 'creatorId' | 'createdBy' | 'createdAt' | 'version'>
>;

/** Credentials that are not deleted, presented by the secret before their newest where this condition holds. */
const verifiable = (isOldSecret: string): string => `
  SELECT c.id, c.name, c.permissions, c.accounts, c.account_ids AS "accountIds", c.tag,
    c.allowed_ips AS "allowedIps", c.requests_per_minute AS "requestsPerMinute", c.creator_id AS "creatorId",
    c.disabled_at AS "disabledAt", c.expires_at AS "expiresAt", CASE WHEN ${isOldSecret} THEN c.old_until END AS "retiresAt",
    m.role, m.disabled_at IS NOT NULL AS "creatorDisabled"
  FROM management_credential c JOIN staff_auth.member m ON m.id = c.creator_id
  WHERE c.deleted_at IS NULL`;

/** The account `a` of the object with the id $2. */
const OBJECTS: Record<Exclude<ProvingParam, 'change_id'>, string> = {
  account_id: 'account a WHERE a.id = $2',
  key_id: 'api_key o JOIN account a ON a.id = o.account_id WHERE o.id = $2',
  voice_id: 'voice o JOIN account a ON a.id = o.account_id WHERE o.id = $2',
  approval_id: 'approval o JOIN account a ON a.id = o.account_id WHERE o.id = $2',
};

@Injectable()
export class ManagementCredentialRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * The credential that has this digest among its secrets. Always read, like a session: what is changed of it or of its creator
   * holds from the next request on.
   */
  async findByDigest(digest: string): Promise<VerifiableManagement | null> {
    const sql = `${verifiable('c.digest <> $1')} AND (c.digest = $1 OR c.old_digest = $1)`;
    const rows = await this.dataSource.query<VerifiableManagement[]>(sql, [digest]);
    return rows[0] ?? null;
  }

  /** The same by its id, as if its newest secret were presented, or the one before. */
  async findVerifiable(
    id: string,
    { oldSecret = false }: { oldSecret?: boolean } = {},
    em: EntityManager = this.dataSource.manager,
  ): Promise<VerifiableManagement | null> {
    const sql = `${verifiable('$2')} AND c.id = $1 AND (NOT $2 OR c.old_digest IS NOT NULL)`;
    const rows = await em.query<VerifiableManagement[]>(sql, [id, oldSecret]);
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
    // PostgreSQL takes no NUL in a text.
    if (param === 'voice_id' ? value.includes('\0') : !isUuid(value)) return false;
    const sql =
      param === 'change_id'
        ? `SELECT 1 FROM bulk_key_change m WHERE m.id = $2 AND ${hasKeysWithinBounds('m', '$1')}`
        : `SELECT 1 FROM ${OBJECTS[param]} AND ${withinBounds('a', '$1')}`;
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
