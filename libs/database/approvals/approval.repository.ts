import type { ApprovalKind, ApprovalStatus } from '@app/domain/approvals/approvals';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { withinBounds } from '../accounts/account-conditions';
import { Conditions } from '../common/conditions';
import { Approval } from './approval.entity';

/** What a list of approvals is narrowed to. */
export interface ApprovalFilter {
  status?: ApprovalStatus;
  accountId?: string;
  /** Only of accounts within the bounds of this management credential. */
  withinCredential?: string;
  /** Id of what would change. */
  targetId?: string;
  /** Id of a member of staff. */
  requestedBy?: string;
  /** Everyone's but theirs. */
  notRequestedBy?: string;
}

/** An approval without what its change needs, with the names of today. */
export interface ListedApproval extends Omit<Approval, 'args'> {
  accountName: string | null;
  keyName: string | null;
  /** Whether its target has changed since, so that it can no longer be approved. */
  isStale: boolean;
  /** For the next page. */
  position: string;
}

/** How a waiting approval ends. */
export interface ApprovalEnd {
  status: Exclude<ApprovalStatus, 'waiting'>;
  decidedBy: string;
  decisionReason?: string;
}

/** One whose time is over is expired, whether or not that was noted yet. */
const STATUS = `CASE WHEN p.status = 'waiting' AND p.expires_at <= now() THEN 'expired' ELSE p.status END`;

/** The order of a list, from the last: what waits comes before all that is decided. */
const WAITING_FIRST = `(p.requested_at + make_interval(years => CASE WHEN ${STATUS} = 'waiting' THEN 1000 ELSE 0 END))`;

const COLUMNS = `p.id, p.kind, p.target_type AS "targetType", p.target_id AS "targetId", p.account_id AS "accountId",
  p.target_version AS "targetVersion", p.action, p.before, p.after, p.reason, p.credential_id AS "credentialId", p.requested_by AS "requestedBy",
  p.requested_by_name AS "requestedByName", p.request_address AS "requestAddress", p.request_id AS "requestId",
  p.requested_at AS "requestedAt", p.expires_at AS "expiresAt", ${STATUS} AS status, p.decided_by AS "decidedBy",
  p.decided_at AS "decidedAt", p.decision_reason AS "decisionReason", a.name AS "accountName", k.name AS "keyName",
  ${WAITING_FIRST}::text AS position, p.target_version IS NOT NULL AND p.target_version IS DISTINCT FROM
    CASE p.target_type WHEN 'account' THEN a.version WHEN 'api_key' THEN k.version END AS "isStale"`;

const SOURCE = `approval p LEFT JOIN account a ON a.id = p.account_id
  LEFT JOIN api_key k ON p.target_type = 'api_key' AND k.id::text = p.target_id AND k.deleted_at IS NULL`;

@Injectable()
export class ApprovalRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores a request; false when one for the same change of the same target waits already. */
  async insert(approval: Approval, em: EntityManager): Promise<boolean> {
    // The type of a partial entity cannot hold any JSON.
    const insert = em
      .createQueryBuilder()
      .insert()
      .into(Approval)
      .values(approval as object);
    const { raw } = await insert.orIgnore().returning('id').execute();
    return (raw as unknown[]).length > 0;
  }

  /** Notes that a request for the same change of the same target is expired, so that another can be stored. */
  async endOverdue({ kind, targetId }: Approval, em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE approval SET status = 'expired', decided_at = now()
       WHERE kind = $1 AND target_id = $2 AND status = 'waiting' AND expires_at <= now()`,
      [kind, targetId],
    );
  }

  /** The request for a change of a target that waits. */
  async findWaiting(kind: ApprovalKind, targetId: string, em: EntityManager): Promise<Approval | null> {
    return em.findOneBy(Approval, { kind, targetId, status: 'waiting' });
  }

  /** A request with what its change needs, locked until the transaction ends. */
  async lock(id: string, em: EntityManager): Promise<Approval | null> {
    return em.findOne(Approval, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async end(id: string, end: ApprovalEnd, em: EntityManager): Promise<void> {
    await em.update(Approval, { id }, { ...end, decidedAt: new Date() });
  }

  /** Requests whose time is over, the oldest first. */
  async listDue(limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM approval WHERE status = 'waiting' AND expires_at <= now() ORDER BY expires_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  async find(id: string, em: EntityManager = this.dataSource.manager): Promise<ListedApproval | null> {
    const rows = await em.query<ListedApproval[]>(`SELECT ${COLUMNS} FROM ${SOURCE} WHERE p.id = $1`, [id]);
    return rows[0] ?? null;
  }

  /** One page: those that wait, then the others, newest first. */
  async list(
    filter: ApprovalFilter,
    { after, limit }: { after: { value: string; id: string } | null; limit: number },
    em: EntityManager = this.dataSource.manager,
  ): Promise<ListedApproval[]> {
    const where = conditionsOf(filter);
    if (after)
      where.add(
        `(${WAITING_FIRST}, p.id) < (${where.value(after.value)}::timestamptz, ${where.value(after.id)}::uuid)`,
      );
    return em.query<ListedApproval[]>(
      `SELECT ${COLUMNS} FROM ${SOURCE} WHERE ${where.sql} ORDER BY ${WAITING_FIRST} DESC, p.id DESC
       LIMIT ${where.value(limit)}`,
      where.values,
    );
  }

  async count(filter: ApprovalFilter, em: EntityManager = this.dataSource.manager): Promise<number> {
    const where = conditionsOf(filter);
    const [row] = await em.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM approval p WHERE ${where.sql}`,
      where.values,
    );
    return row?.total ?? 0;
  }
}

function conditionsOf(filter: ApprovalFilter): Conditions {
  const where = new Conditions();
  where.ifPresent(filter.status, (status) => `${STATUS} = ${status}`);
  where.ifPresent(filter.accountId, (id) => `p.account_id = ${id}`);
  where.ifPresent(
    filter.withinCredential,
    (value) => `p.account_id IN (SELECT w.id FROM account w WHERE ${withinBounds('w', value)})`,
  );
  where.ifPresent(filter.targetId, (id) => `p.target_id = ${id}`);
  where.ifPresent(filter.requestedBy, (id) => `p.requested_by = ${id}`);
  where.ifPresent(filter.notRequestedBy, (id) => `p.requested_by <> ${id}`);
  return where;
}
