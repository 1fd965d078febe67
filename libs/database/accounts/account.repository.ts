import { STATUS_OF_KEY } from '../common/key-status-sql';
import type { AccountStatus } from '@app/domain/accounts/account-status';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import type { Tier } from '@app/domain/accounts/tiers';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, Not, type EntityManager } from 'typeorm';
import { Account } from './account.entity';
import { Conditions, namePart } from '../common/conditions';
import { lockText } from '../common/lock-text';
import { creditShare } from '../credits/current-balance';
import { accountsWithContact, hasTags, managedBy, withinBounds } from './account-conditions';

/** What a change may set. */
export type AccountPatch = Partial<Omit<Account, 'id' | 'version' | 'createdAt' | 'updatedAt'>>;

/** Filters of a list of accounts. All must hold. */
export interface AccountFilter {
  id?: string;
  /** Within the bounds of this management credential. */
  withinCredential?: string;
  namePart?: string;
  tier?: Tier;
  status?: AccountStatus;
  ipAllowListEnabled?: boolean;
  /** Id of the account manager; null for accounts without one. */
  managerId?: string | null;
  /** Has all of these tags. */
  tags?: string[];
  externalId?: string;
  /** A contact has this in its name or e-mail address. */
  contactPart?: string;
  /** Has used at least this share of its credits in this period. */
  minCreditShare?: number;
  /** Has run out of credits, or will within this time. */
  lastsAtMostSecs?: number;
  /** Had requests refused in the last 7 days. */
  hasRefusals?: boolean;
  /** Has webhooks that fail. */
  hasFailingWebhooks?: boolean;
}

/** How an account stands now: a row of the view `current_standing`, with what a list draws of it. */
export interface AccountStanding {
  accountId: string;
  used: number;
  /** With what was granted for the period. */
  usable: number;
  periodStart: Date;
  periodEnd: Date;
  lastsSecs: number | null;
  /** Credits on each of the last 14 days in UTC, today last. */
  usedByDay: number[];
  /** When the next of its enabled keys expires within 31 days; null when none does. */
  keyExpiresAt: Date | null;
  refusedRequests: number;
  failingWebhooks: number;
}

/** What an account uses in its current billing period. */
export interface AccountUsage {
  /** With what was granted for the period. */
  creditLimit: number;
  /** Below zero when the limit was lowered since. */
  creditsLeft: number;
  creditsUsed: number;
  periodStart: Date;
  periodEnd: Date;
  voicesUsed: number;
  /** Voices that were added in the period. */
  voicesAdded: number;
  keys: number;
  enabledKeys: number;
  /** Keys with an allow-list: they stay enforced without the entitlement. */
  listedKeys: number;
}

/** The orders of a list, by name; each in both directions. What comes from the standing has no index. */
export const ACCOUNT_ORDERS = {
  created_at: { value: 'a.created_at', type: 'timestamptz' },
  name: { value: 'lower(a.name) COLLATE "C"', type: 'text' },
  credit_share: { value: creditShare('b'), type: 'float8' },
  // A century for those that do not run out: last, in pages too.
  lasts: { value: 'coalesce(s.lasts_secs, 3155760000)', type: 'float8' },
  refused_requests: { value: 's.refused_requests', type: 'float8' },
} as const;

type AccountOrder = keyof typeof ACCOUNT_ORDERS;

export interface AccountPage {
  order: AccountOrder;
  descending: boolean;
  /** Where the page starts: after the account with this value and id. */
  after: { value: string; id: string } | null;
  limit: number;
}

/** Any number that no other program uses on this database. */
const FIRST_RUN_LOCK = 7_301_955;

@Injectable()
export class AccountRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores a new account. */
  async insert(account: Account, em: EntityManager = this.dataSource.manager): Promise<void> {
    await em.insert(Account, account);
  }

  /** The account with this id; null for an unknown one, and for a text that is not an id. */
  async find(id: string, em: EntityManager = this.dataSource.manager): Promise<Account | null> {
    return isUuid(id) ? em.findOneBy(Account, { id }) : null;
  }

  /** @throws DomainError `account_not_found` */
  async get(id: string, em?: EntityManager): Promise<Account> {
    const account = await this.find(id, em);
    if (!account) throw accountNotFound(id);
    return account;
  }

  /** The account of a key; null for unknown keys. */
  async findOfKey(keyId: string, em: EntityManager): Promise<Account | null> {
    return em
      .createQueryBuilder(Account, 'a')
      .where('a.id = (SELECT k.account_id FROM api_key k WHERE k.id = :keyId)', { keyId })
      .getOne();
  }

  /** The account with this id, or else the only one with this name; null when there is none or the name is ambiguous. */
  async findByIdOrName(
    idOrName: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<Account | null> {
    if (isUuid(idOrName)) return em.findOneBy(Account, { id: idOrName });
    const found = await em.find(Account, { where: { name: idOrName }, take: 2 });
    return found.length === 1 ? found[0]! : null;
  }

  /** @throws DomainError `account_not_found` where `findByIdOrName` finds none */
  async getByIdOrName(idOrName: string): Promise<Account> {
    const account = await this.findByIdOrName(idOrName);
    if (!account) throw accountNotFound(idOrName);
    return account;
  }

  /** Waits until no other transaction adds what the first run adds, and keeps others waiting to the end of this one. */
  async lockFirstRun(em: EntityManager): Promise<void> {
    await em.query('SELECT pg_advisory_xact_lock($1)', [FIRST_RUN_LOCK]);
  }

  /** Whether there is any account at all: false only before the first run. */
  async existsAny(em: EntityManager = this.dataSource.manager): Promise<boolean> {
    return em.exists(Account, { where: {} });
  }

  /**
   * Locks the account's row until the transaction ends, so that what it owns can be counted and added to. Rows that only
   * refer to the account, such as charges, do not wait.
   *
   * @throws DomainError `account_not_found`
   */
  async lock(id: string, em: EntityManager): Promise<Account> {
    const account = await this.lockIfExists(id, em);
    if (!account) throw accountNotFound(id);
    return account;
  }

  /** `lock` for what an account is known to own. */
  async lockIfExists(id: string, em: EntityManager): Promise<Account | null> {
    if (!isUuid(id)) return null;
    return em.findOne(Account, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /**
   * Whether another account has this external id. Until the transaction ends, no other transaction that asks the same gets
   * a response.
   */
  async hasExternalId(
    { id, externalId }: { id: string; externalId: string },
    em: EntityManager,
  ): Promise<boolean> {
    await lockText(`account ${externalId}`, em);
    return em.existsBy(Account, { externalId, id: Not(id) });
  }

  /** Changes an account and counts the change. `updatedAt` is the time of the transaction. */
  async update(id: string, patch: AccountPatch, em: EntityManager): Promise<void> {
    await em
      .createQueryBuilder()
      .update(Account)
      .set({ ...patch, version: () => 'version + 1', updatedAt: () => 'now()' })
      .where('id = :id', { id })
      .execute();
  }

  /** One page of accounts with their positions. */
  async list(
    filter: AccountFilter,
    page: AccountPage,
    em: EntityManager = this.dataSource.manager,
  ): Promise<{ account: Account; position: string }[]> {
    const { value, type } = ACCOUNT_ORDERS[page.order];
    const direction = page.descending ? 'DESC' : 'ASC';
    const where = conditionsOf(filter);
    if (page.after) {
      const [afterValue, afterId] = [where.value(page.after.value), where.value(page.after.id)];
      where.add(`(${value}, a.id) ${page.descending ? '<' : '>'} (${afterValue}::${type}, ${afterId}::uuid)`);
    }
    const rows = await em.query<{ id: string; position: string }[]>(
      `SELECT a.id, (${value})::text AS position ${sourceOf(`${value} ${where.sql}`)} WHERE ${where.sql}
       ORDER BY ${value} ${direction}, a.id ${direction} LIMIT ${where.value(page.limit)}`,
      where.values,
    );
    const accounts = await em
      .createQueryBuilder(Account, 'a')
      .whereInIds(rows.map(({ id }) => id))
      .getMany();
    const byId = new Map(accounts.map((account) => [account.id, account]));
    return rows.flatMap(({ id, position }) => {
      const account = byId.get(id);
      return account ? [{ account, position }] : [];
    });
  }

  async count(filter: AccountFilter, em: EntityManager = this.dataSource.manager): Promise<number> {
    const where = conditionsOf(filter);
    const [row] = await em.query<{ total: number }[]>(
      `SELECT count(*)::int AS total ${sourceOf(where.sql)} WHERE ${where.sql}`,
      where.values,
    );
    return row!.total;
  }

  /** How these accounts stand now. A line lies in a billing period of at most 31 days, which finds the months to read. */
  async listStandings(
    ids: readonly string[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<AccountStanding[]> {
    return em.query<AccountStanding[]>(
      `SELECT s.account_id AS "accountId", s.used, s.usable, p.period_start AS "periodStart", s.period_end AS "periodEnd",
         s.lasts_secs AS "lastsSecs", s.refused_requests AS "refusedRequests", s.failing_webhooks AS "failingWebhooks",
         ARRAY(
           SELECT greatest(coalesce(u.credits, 0), 0)::float8 FROM generate_series(13, 0, -1) d (ago)
           LEFT JOIN (
             SELECT (now() AT TIME ZONE 'UTC')::date - (l.created_at AT TIME ZONE 'UTC')::date AS ago, sum(l.amount) AS credits
             FROM ledger_line l
             WHERE l.account = b.number AND l.kind <> ledger_kind_letter('grant') AND l.period_start > now() - interval '46 days'
               AND l.created_at > now() - interval '14 days'
             GROUP BY 1
           ) u USING (ago) ORDER BY ago DESC
         ) AS "usedByDay",
         (SELECT min(k.expires_at) FROM api_key k
          WHERE k.account_id = s.account_id AND k.deleted_at IS NULL AND k.disable_reason IS NULL
            AND coalesce(k.expires_at, 'infinity') BETWEEN now() AND now() + interval '31 days') AS "keyExpiresAt"
       FROM current_standing s JOIN credit_balance b ON b.subject_id = s.account_id
         CROSS JOIN billing_period(b.period_anchor, now()) p
       WHERE s.account_id = ANY ($1)`,
      [ids],
    );
  }

  /** What an account uses now. A billing period that has ended counts as rolled over. */
  async getUsage(id: string, em: EntityManager = this.dataSource.manager): Promise<AccountUsage> {
    const [usage] = await em.query<AccountUsage[]>(
      `SELECT usable_credits(b.credit_limit, b.granted + b.prepaid)::float8 AS "creditLimit",
         credits_at_hand(b.credit_limit, b.granted, b.used, b.prepaid)::float8 AS "creditsLeft", b.used::float8 AS "creditsUsed",
         b.period_start AS "periodStart", b.period_end AS "periodEnd", v.*, k.*
       FROM current_credits b,
         LATERAL (SELECT count(*)::int AS "voicesUsed",
                    (count(*) FILTER (WHERE v.created_at >= b.period_start))::int AS "voicesAdded"
                  FROM voice v WHERE v.account_id = b.subject_id) v,
         LATERAL (SELECT count(*)::int AS keys,
                    (count(*) FILTER (WHERE ${STATUS_OF_KEY.enabled('k')}))::int AS "enabledKeys",
                    (count(*) FILTER (WHERE k.allowed_ips IS NOT NULL))::int AS "listedKeys"
                  FROM api_key k WHERE k.account_id = b.subject_id AND k.deleted_at IS NULL) k
       WHERE b.subject_id = $1`,
      [id],
    );
    return usage!;
  }
}

/** @param param the input that names the account, where it is not the path */
export function accountNotFound(idOrName: string, param?: string): DomainError {
  return new DomainError('account_not_found', { account: idOrName.slice(0, 100) }, { param });
}

/** The tables that an order and conditions read. */
function sourceOf(sql: string): string {
  const balance = /\bb\./.test(sql) ? ' JOIN credit_balance b ON b.subject_id = a.id' : '';
  const standing = /\bs\./.test(sql) ? ' JOIN current_standing s ON s.account_id = a.id' : '';
  return `FROM account a${balance}${standing}`;
}

function conditionsOf(filter: AccountFilter): Conditions {
  const where = new Conditions();
  where.ifPresent(filter.id, (value) => `a.id = ${value}`);
  where.ifPresent(filter.withinCredential, (value) => withinBounds('a', value));
  if (filter.namePart !== undefined) where.add(namePart('a.name', filter.namePart, where));
  where.ifPresent(filter.tier, (value) => `a.tier = ${value}`);
  where.ifPresent(filter.status, (value) => `a.status = ${value}`);
  where.ifPresent(filter.ipAllowListEnabled, (value) => `a.ip_allow_list_enabled = ${value}`);
  if (filter.managerId !== undefined) where.add(managedBy('a', filter.managerId, where));
  where.ifPresent(filter.tags, (value) => hasTags('a.tags', value));
  where.ifPresent(filter.externalId, (value) => `a.external_id = ${value}`);
  if (filter.contactPart !== undefined)
    where.add(`a.id IN (${accountsWithContact(filter.contactPart, where)})`);
  where.ifPresent(filter.minCreditShare, (value) => `${creditShare('b')} >= ${value}`);
  where.ifPresent(filter.lastsAtMostSecs, (value) => `s.lasts_secs <= ${value}`);
  where.ifPresent(filter.hasRefusals, (value) => `(s.refused_requests > 0) = ${value}`);
  where.ifPresent(filter.hasFailingWebhooks, (value) => `(s.failing_webhooks > 0) = ${value}`);
  return where;
}
