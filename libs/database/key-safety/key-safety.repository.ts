import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, MoreThanOrEqual, type EntityManager } from 'typeorm';
import { managedBy, withinBounds } from '../accounts/account-conditions';
import { Conditions } from '../common/conditions';
import { KeySafetyDay } from './key-safety-day.entity';
import { KeySafetyPass } from './key-safety-pass.entity';

/** Any number that no other program uses on this database: one process at a time makes findings. */
const SAFETY_LOCK = 7_301_973;

/** An account with its newest score. */
export interface ScoredAccount {
  accountId: string;
  accountName: string;
  tier: string;
  keys: number;
  findings: number;
  score: number;
}

/** The orders of the list of accounts, by name. */
export const SAFETY_ORDERS = {
  score: { value: 'd.score', type: 'float8' },
  findings: { value: 'd.findings', type: 'float8' },
} as const;

export type SafetyOrder = keyof typeof SAFETY_ORDERS;

export interface SafetyPage {
  order: SafetyOrder;
  descending: boolean;
  after: { value: string; id: string } | null;
  limit: number;
  /** The account manager; null for accounts without one, all accounts without it. */
  managerId?: string | null;
  /** The id of a management credential: accounts within its bounds. */
  withinCredential?: string;
}

/** Which keys are to be looked at next, and how each account has scored. */
@Injectable()
export class KeySafetyRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Whether this transaction is now the only one that makes findings. */
  async tryLock(em: EntityManager): Promise<boolean> {
    const [lock] = await em.query<{ taken: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS taken', [
      SAFETY_LOCK,
    ]);
    return lock!.taken;
  }

  /**
   * Takes keys that were changed: at most `limit` changes, and fewer than twice as many keys; what is left of the accounts that
   * were changed stays due.
   */
  async takeDue(limit: number, em: EntityManager): Promise<string[]> {
    const [due] = await em.query<[{ id: string; after: string | null }[], number]>(
      `DELETE FROM key_finding_due WHERE number IN (
         SELECT number FROM key_finding_due ORDER BY number LIMIT $1 FOR UPDATE SKIP LOCKED
       ) RETURNING id, after`,
      [limit],
    );
    const keyIds = new Set<string>();
    const accounts = new Map<string, string | null>();
    for (const { id, after } of due) accounts.set(id, accounts.get(id) === null ? null : after);
    for (const [id, after] of accounts) {
      if (keyIds.size >= limit) {
        await em.query('INSERT INTO key_finding_due (id, after) VALUES ($1, $2)', [id, after]);
        continue;
      }
      const rows = await em.query<{ id: string }[]>(
        `SELECT $1::uuid AS id WHERE EXISTS (SELECT FROM api_key WHERE id = $1)
         UNION ALL (
           SELECT id FROM api_key WHERE account_id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR id > $2)
           ORDER BY id LIMIT $3
         )`,
        [id, after, limit],
      );
      for (const row of rows) keyIds.add(row.id);
      const last = rows.at(-1)?.id;
      if (rows.length === limit)
        await em.query('INSERT INTO key_finding_due (id, after) VALUES ($1, $2)', [id, last]);
    }
    return [...keyIds];
  }

  async findPass(em: EntityManager = this.dataSource.manager): Promise<KeySafetyPass | null> {
    return em.findOneBy(KeySafetyPass, { id: 1 });
  }

  async savePass(pass: Omit<KeySafetyPass, 'id'>, em: EntityManager): Promise<void> {
    await em.upsert(KeySafetyPass, { id: 1, ...pass }, ['id']);
  }

  /** The next keys, or accounts, in the order of their ids. */
  async listNext(
    table: 'api_key' | 'account',
    after: string | null,
    limit: number,
    em: EntityManager,
  ): Promise<string[]> {
    const rows = await em.query<{ id: string }[]>(
      `SELECT id FROM ${table} WHERE ($1::uuid IS NULL OR id > $1) ${table === 'api_key' ? 'AND deleted_at IS NULL' : ''}
       ORDER BY id LIMIT $2`,
      [after, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Accounts with their scores of today, or of the last day that has any. */
  async listAccounts(
    { order, descending, after, limit, managerId, withinCredential }: SafetyPage,
    em: EntityManager = this.dataSource.manager,
  ): Promise<{ rows: (ScoredAccount & { position: string })[]; total: number }> {
    const { value } = SAFETY_ORDERS[order];
    const direction = descending ? 'DESC' : 'ASC';
    const where = new Conditions();
    where.add('d.day = (SELECT max(day) FROM key_safety_day)');
    if (managerId !== undefined) where.add(managedBy('a', managerId, where));
    if (withinCredential !== undefined) where.add(withinBounds('a', where.value(withinCredential)));
    const onPage = new Conditions([...where.values]);
    onPage.add(where.sql);
    if (after) {
      const position = `${onPage.value(after.value)}::float8, ${onPage.value(after.id)}::uuid`;
      onPage.add(`(${value}, d.account_id) ${descending ? '<' : '>'} (${position})`);
    }
    const source = 'key_safety_day d JOIN account a ON a.id = d.account_id';
    const [rows, [counted]] = await Promise.all([
      em.query<(ScoredAccount & { position: string })[]>(
        `SELECT d.account_id AS "accountId", a.name AS "accountName", a.tier, d.keys, d.findings, d.score,
           ${value}::text AS position
         FROM ${source} WHERE ${onPage.sql}
         ORDER BY ${value} ${direction}, d.account_id ${direction} LIMIT ${onPage.value(limit)}`,
        onPage.values,
      ),
      em.query<{ total: number }[]>(
        `SELECT count(*)::int AS total FROM ${source} WHERE ${where.sql}`,
        where.values,
      ),
    ]);
    return { rows, total: counted!.total };
  }

  /** The scores of an account since a day, oldest first. */
  async listDays(accountId: string, from: string): Promise<KeySafetyDay[]> {
    return this.dataSource.manager.find(KeySafetyDay, {
      where: { accountId, day: MoreThanOrEqual(from) },
      order: { day: 'ASC' },
    });
  }

  /** Deletes scores that are older than some days, one batch of them. */
  async deleteOldDays(days: number, limit: number, em: EntityManager): Promise<void> {
    await em.query(
      `DELETE FROM key_safety_day WHERE (account_id, day) IN (
         SELECT account_id, day FROM key_safety_day WHERE day < current_date - $1::int LIMIT $2)`,
      [days, limit],
    );
  }
}
