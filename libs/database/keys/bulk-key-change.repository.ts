import {
  isSetting,
  needsOpenAccount,
  type BulkAction,
  type BulkEdit,
  type Skipped,
} from '@app/domain/keys/bulk-edit';
import { MAX_TAGS } from '@app/domain/common/tags';
import type { KeySinceChange } from '@app/domain/keys/bulk-undo';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, LessThan, LessThanOrEqual, type EntityManager } from 'typeorm';
import { hasKeysWithinBounds, withinBounds } from '../accounts/account-conditions';
import { POLICY_OF_ACCOUNT } from '../key-policies/key-policy.repository';
import { conditionsOf, sourceOf, type ApiKeyFilter } from './api-key-filter';
import { BulkKeyChange } from './bulk-key-change.entity';

/** A key of a change, and what the change would replace; null where undoing needs nothing. */
export interface EvaluatedKey {
  id: string;
  because: Skipped | null;
  before: unknown;
}

/** A key as a change of many has left it. */
export interface ChangedKey {
  id: string;
  version: number;
  before: unknown;
}

/** Whether the key `k` with the balance `b` is already as an edit would leave it; `value` is the place of what it sets. */
const ALREADY: Record<BulkAction, (value: () => string) => string> = {
  enable: () => 'k.disable_reason IS NULL',
  disable: () => 'k.disable_reason IS NOT NULL',
  set_expiry: (value) => `k.expires_at IS NOT DISTINCT FROM ${value()}::timestamptz`,
  set_credit_limit: (value) => `b.credit_limit IS NOT DISTINCT FROM ${value()}::bigint`,
  add_tag: (value) => `k.tags @> ARRAY[${value()}::text]`,
  remove_tag: (value) => `NOT k.tags @> ARRAY[${value()}::text]`,
};

/** What undoing an edit restores. */
const BEFORE: Record<BulkAction, string> = {
  enable: `jsonb_build_object('disable_reason', k.disable_reason, 'disabled_at', k.disabled_at,
    'disabled_by_customer', k.disabled_by_customer)`,
  disable: 'NULL::jsonb',
  set_expiry: 'to_jsonb(k.expires_at)',
  set_credit_limit: 'to_jsonb(b.credit_limit)',
  add_tag: 'NULL::jsonb',
  remove_tag: 'NULL::jsonb',
};

const EVALUATED = `api_key k JOIN account a ON a.id = k.account_id JOIN credit_balance b ON b.subject_id = k.id
  LEFT JOIN ${POLICY_OF_ACCOUNT}`;

/** Changes of many keys: which keys an edit concerns, how far it is, and how those keys have fared since. */
@Injectable()
export class BulkKeyChangeRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Keys that match, at most `limit`, each with why the edit would leave it alone.
   *
   * @param em of the transaction that makes the change; none for a dry run
   */
  async listMatching(
    filter: ApiKeyFilter,
    edit: BulkEdit,
    limit: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<Omit<EvaluatedKey, 'before'>[]> {
    const where = conditionsOf(filter);
    return em.query(
      `WITH m AS (SELECT k.id FROM ${sourceOf(filter)} WHERE ${where.sql} LIMIT ${where.value(limit)})
       SELECT k.id, ${because(filter, edit, where.values)} AS because FROM ${EVALUATED} WHERE k.id IN (SELECT m.id FROM m)`,
      where.values,
    );
  }

  /** The versions of keys that are not deleted, locked in one order until the transaction ends. */
  async listVersions(ids: string[], em: EntityManager): Promise<{ id: string; version: number }[]> {
    return em.query(
      `SELECT id, version::int AS version FROM api_key WHERE id = ANY ($1) AND deleted_at IS NULL
       ORDER BY id FOR UPDATE`,
      [ids],
    );
  }

  /** Stores a change that has not begun, and the keys that it is to change. */
  async insert(change: BulkKeyChange, keyIds: string[], em: EntityManager): Promise<void> {
    // The type of a partial entity cannot hold any JSON.
    await em.insert(BulkKeyChange, change as object);
    await em.query(
      'INSERT INTO bulk_key_change_item (change_id, key_id) SELECT $1, id FROM unnest($2::uuid[]) AS id',
      [change.id, keyIds],
    );
  }

  /** The next keys of a change that wait, locked in one order, each evaluated as it is now. */
  async lockNext(change: BulkKeyChange, limit: number, em: EntityManager): Promise<EvaluatedKey[]> {
    const { id, action, value, filter } = change;
    const rows = await em.query<{ id: string }[]>(
      `SELECT key_id AS id FROM bulk_key_change_item WHERE change_id = $1 AND version IS NULL ORDER BY key_id LIMIT $2`,
      [id, limit],
    );
    const ids = rows.map((row) => row.id);
    await em.query('SELECT FROM api_key WHERE id = ANY ($1) ORDER BY id FOR UPDATE', [ids]);
    const values: unknown[] = [ids];
    return em.query(
      `SELECT k.id, ${because(filter as ApiKeyFilter, { action, value } as BulkEdit, values)} AS because, ${BEFORE[action]} AS before
       FROM ${EVALUATED} WHERE k.id = ANY ($1) ORDER BY k.id`,
      values,
    );
  }

  /** Counts a part of a change: keys that it has changed, and those that it skipped. Whether it was the last. */
  async recordPart(
    id: string,
    { changed, skipped }: { changed: ChangedKey[]; skipped: string[] },
    em: EntityManager,
  ): Promise<boolean> {
    await em.query(
      `UPDATE bulk_key_change_item i SET version = c.version, before = c.before
       FROM jsonb_to_recordset($2) AS c (id uuid, version integer, before jsonb)
       WHERE i.change_id = $1 AND i.key_id = c.id`,
      [id, JSON.stringify(changed)],
    );
    await em.query('DELETE FROM bulk_key_change_item WHERE change_id = $1 AND key_id = ANY ($2)', [
      id,
      skipped,
    ]);
    const [rows] = await em.query<[{ isDone: boolean }[], number]>(
      `UPDATE bulk_key_change SET changed = changed + $2, left_alone = left_alone + $3, progressed_at = clock_timestamp(),
         finished_at = CASE WHEN NOT EXISTS (
           SELECT FROM bulk_key_change_item i WHERE i.change_id = $1 AND i.version IS NULL) THEN clock_timestamp() END
       WHERE id = $1 RETURNING finished_at IS NOT NULL AS "isDone"`,
      [id, changed.length, skipped.length],
    );
    return rows[0]!.isDone;
  }

  async find(id: string, em: EntityManager = this.dataSource.manager): Promise<BulkKeyChange | null> {
    return em.findOneBy(BulkKeyChange, { id });
  }

  /** A change, locked until the transaction ends. */
  async lock(id: string, em: EntityManager): Promise<BulkKeyChange | null> {
    return em.findOne(BulkKeyChange, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async update(
    id: string,
    patch: Partial<Pick<BulkKeyChange, 'dueAt' | 'finishedAt' | 'undoneAt' | 'undoneBy'>>,
    em: EntityManager,
  ): Promise<void> {
    await em.update(BulkKeyChange, { id }, patch);
  }

  /** The newest changes; with the id of a management credential, those of keys within its bounds. */
  async listRecent(limit: number, withinCredential?: string): Promise<BulkKeyChange[]> {
    const query = this.dataSource.manager
      .createQueryBuilder(BulkKeyChange, 'm')
      .orderBy('m.changedAt', 'DESC')
      .limit(limit);
    if (withinCredential !== undefined)
      query.where(hasKeysWithinBounds('m', ':withinCredential'), { withinCredential });
    return query.getMany();
  }

  /** Ids of changes whose undo timer has run out. */
  async listDue(limit: number): Promise<string[]> {
    const due = await this.dataSource.manager.find(BulkKeyChange, {
      select: { id: true },
      where: { dueAt: LessThanOrEqual(new Date()) },
      order: { dueAt: 'ASC' },
      take: limit,
    });
    return due.map(({ id }) => id);
  }

  /** Ids of changes that have parts left, none of which was applied since: their process is gone. */
  async listStalled(since: Date, limit: number): Promise<string[]> {
    const stalled = await this.dataSource.manager.find(BulkKeyChange, {
      select: { id: true },
      where: { finishedAt: IsNull(), progressedAt: LessThan(since) },
      order: { progressedAt: 'ASC' },
      take: limit,
    });
    return stalled.map(({ id }) => id);
  }

  /** The keys that a change has changed, as they are now; in a transaction (`em`), locked in one order until it ends. */
  async listKeys(id: string, em?: EntityManager): Promise<KeySinceChange[]> {
    return (em ?? this.dataSource.manager).query<KeySinceChange[]>(
      `SELECT k.id, k.name, k.version = c.version AS unchanged, k.deleted_at IS NOT NULL AS deleted,
         k.disable_reason IS NOT NULL AS disabled, a.status = 'closed' AS "accountClosed", c.before,
         k.managed_by IS NOT NULL AS managed,
         CASE WHEN m.action = 'set_expiry' AND NOT m.by_policy THEN coalesce(${laterThanAllowed("(c.before #>> '{}')::timestamptz")}, false)
           ELSE false END AS "beyondPolicy"
       FROM bulk_key_change_item c JOIN bulk_key_change m ON m.id = c.change_id
         JOIN api_key k ON k.id = c.key_id JOIN account a ON a.id = k.account_id LEFT JOIN ${POLICY_OF_ACCOUNT}
       WHERE c.change_id = $1 AND c.version IS NOT NULL
       ORDER BY k.id ${em ? 'FOR UPDATE OF k' : ''}`,
      [id],
    );
  }
}

/** Whether an expiry, null for never, is later than the policy `p` allows for a key `k`; null without a policy. */
function laterThanAllowed(expiry: string): string {
  return `coalesce(${expiry}, 'infinity') > p.max_lifetime_days * interval '1 day'
    + (SELECT max(s.created_at) FROM api_key_secret s WHERE s.key_id = k.id)`;
}

/** Why an edit leaves a key alone, in SQL; NULL when it changes the key. What it sets is added to `values`. */
function because(
  { disableReason, withinCredential }: ApiKeyFilter,
  { action, value }: BulkEdit,
  values: unknown[],
): string {
  // What a program may no longer touch is as if it did not exist.
  const outside = withinCredential ? `OR NOT ${withinBounds('a', `$${values.push(withinCredential)}`)}` : '';
  const already = ALREADY[action](() => `$${values.push(value)}`);
  const open = needsOpenAccount(action) ? `WHEN a.status = 'closed' THEN 'account_closed'` : '';
  const unmanaged = isSetting(action) ? `WHEN k.managed_by IS NOT NULL THEN 'managed_by_file'` : '';
  const allowed =
    action === 'set_expiry'
      ? `WHEN ${laterThanAllowed(`$${values.push(value)}::timestamptz`)} THEN 'beyond_policy'`
      : '';
  const full = action === 'add_tag' ? `WHEN cardinality(k.tags) >= ${MAX_TAGS} THEN 'too_many_tags'` : '';
  const exposed =
    action === 'enable' && disableReason !== 'exposed_publicly'
      ? `WHEN k.disable_reason = 'exposed_publicly' THEN 'exposed'`
      : '';
  return `CASE WHEN k.deleted_at IS NOT NULL ${outside} THEN 'deleted' WHEN ${already} THEN 'already'
    ${open} ${unmanaged} ${allowed} ${full} ${exposed} END`;
}
