import { keyWorks } from '../common/key-status-sql';
import type { Tier } from '@app/domain/accounts/tiers';
import { propertyOf } from '@app/domain/common/property-name';
import { POLICY_FIELD_NAMES, type KeyPolicyRules } from '@app/domain/keys/key-policy';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { KeyPolicy } from './key-policy.entity';

/** Whose policy it is. */
export type PolicyScope = { tier: Tier; accountId: null } | { tier: null; accountId: string };

export type NamedKeyPolicy = KeyPolicy & { accountName: string | null };

/** What a policy concerns among the enabled keys of its scope. */
export interface PolicyImpact {
  keys: number;
  /** Keys that would expire earlier than now. */
  shortened: number;
  /** Those of them that are older already than a key may be. */
  olderAlready: number;
  /** Keys beyond the lifetime that a file of keys manages: only the file shortens them. */
  managed: number;
  /** Keys with permissions that the policy does not accept; they keep them. */
  moreAllowed: number;
  /** Keys without the allow-list that the policy requires; they work without. */
  withoutList: number;
  rotationDue: number;
  idle: number;
}

/** A key that would expire earlier. */
export interface ShortenedKey {
  id: string;
  name: string;
  accountId: string;
  accountName: string;
  expiresAt: Date | null;
  newExpiresAt: Date;
  version: number;
}

/** The policy that holds for the account `a`, as the row `p` of a LEFT JOIN, in SQL. */
export const POLICY_OF_ACCOUNT = `LATERAL (
  SELECT * FROM key_policy WHERE account_id = a.id OR tier = a.tier ORDER BY account_id IS NULL LIMIT 1) p ON true`;

/** Whether permissions, null for all, are more than those accepted, null for any, in SQL: `permissionsBeyond` as a condition. */
export const arePermissionsBeyond = (permissions: string, accepted: string): string =>
  `NOT coalesce(${permissions} <@ ${accepted}, ${accepted} IS NULL)`;

const ENABLED = keyWorks('k');

/** The enabled keys of the scope ($1 tier, $2 account): accounts with a policy have their own. */
const KEYS_IN_SCOPE = `
  api_key k JOIN account a ON a.id = k.account_id AND a.status <> 'closed'
    AND (a.id = $2 OR a.tier = $1 AND NOT EXISTS (SELECT FROM key_policy o WHERE o.account_id = a.id))
  JOIN LATERAL (SELECT max(c.created_at) AS created_at FROM api_key_secret c WHERE c.key_id = k.id) s ON true`;

/** When a key would expire: $3 days of lifetime, and $4 more from now for those that are older. */
const NEW_EXPIRY = `greatest(s.created_at + $3 * interval '1 day', now() + $4 * interval '1 day')`;
const IS_SHORTENED = `$3::int IS NOT NULL AND coalesce(k.expires_at, 'infinity') > ${NEW_EXPIRY}`;

@Injectable()
export class KeyPolicyRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Every policy: of tiers, then of accounts by name. */
  async list(): Promise<NamedKeyPolicy[]> {
    const { entities, raw } = await this.dataSource.manager
      .createQueryBuilder(KeyPolicy, 'p')
      .leftJoin('account', 'a', 'a.id = p.account_id')
      .addSelect('a.name', 'account_name')
      .orderBy('p.tier', 'ASC', 'NULLS LAST')
      .addOrderBy('a.name')
      .addOrderBy('p.id')
      .getRawAndEntities<{ account_name: string | null }>();
    return entities.map((policy, index) => ({ ...policy, accountName: raw[index]?.account_name ?? null }));
  }

  /** The policy of exactly this tier or account. */
  async find(
    { tier, accountId }: PolicyScope,
    em: EntityManager = this.dataSource.manager,
  ): Promise<KeyPolicy | null> {
    return em.findOneBy(KeyPolicy, { tier: tier ?? IsNull(), accountId: accountId ?? IsNull() });
  }

  /** The same, locked until the transaction ends. */
  async lock({ tier, accountId }: PolicyScope, em: EntityManager): Promise<KeyPolicy | null> {
    return em.findOne(KeyPolicy, {
      where: { tier: tier ?? IsNull(), accountId: accountId ?? IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** The policy that holds for the keys of an account: its own, or that of its tier. */
  async findHolding(
    account: { id: string; tier: string },
    em: EntityManager = this.dataSource.manager,
  ): Promise<KeyPolicy | null> {
    return em
      .createQueryBuilder(KeyPolicy, 'p')
      .where('p.account_id = :id OR p.tier = :tier', { id: account.id, tier: account.tier })
      .orderBy('p.account_id IS NULL')
      .limit(1)
      .getOne();
  }

  async save({ tier, accountId }: PolicyScope, rules: KeyPolicyRules, em: EntityManager): Promise<void> {
    const columns = POLICY_FIELD_NAMES.join(', ');
    await em.query(
      `INSERT INTO key_policy (id, tier, account_id, ${columns}, updated_at)
       SELECT $1, $2, $3, ${columns}, now() FROM jsonb_populate_record(NULL::key_policy, $4)
       ON CONFLICT (tier, account_id) DO UPDATE SET ${POLICY_FIELD_NAMES.map((name) => `${name} = excluded.${name}`).join(', ')},
         updated_at = excluded.updated_at`,
      [
        randomUUID(),
        tier,
        accountId,
        Object.fromEntries(POLICY_FIELD_NAMES.map((name) => [name, rules[propertyOf(name)]])),
      ],
    );
  }

  async delete({ tier, accountId }: PolicyScope, em: EntityManager): Promise<void> {
    await em.delete(KeyPolicy, { tier: tier ?? IsNull(), accountId: accountId ?? IsNull() });
  }

  /** What rules would concern if they held for a scope. */
  async measure(
    { tier, accountId }: PolicyScope,
    rules: KeyPolicyRules,
    graceDays: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<PolicyImpact> {
    const [row] = await em.query<PolicyImpact[]>(
      `SELECT count(*)::int AS keys,
         count(*) FILTER (WHERE k.managed_by IS NULL AND ${IS_SHORTENED})::int AS shortened,
         count(*) FILTER (WHERE k.managed_by IS NULL AND ${IS_SHORTENED} AND s.created_at + $3 * interval '1 day' <= now())::int
           AS "olderAlready",
         count(*) FILTER (WHERE k.managed_by IS NOT NULL AND ${IS_SHORTENED})::int AS managed,
         count(*) FILTER (WHERE ${arePermissionsBeyond('k.permissions', '$7::text[]')})::int AS "moreAllowed",
         count(*) FILTER (WHERE $8 AND k.allowed_ips IS NULL)::int AS "withoutList",
         count(*) FILTER (WHERE s.created_at + $5::int * interval '1 day' <= now())::int AS "rotationDue",
         count(*) FILTER (WHERE greatest(coalesce(u.last_used_at, k.created_at), i.counted_from)
           < now() - $6::int * interval '1 day')::int AS idle
       FROM ${KEYS_IN_SCOPE} LEFT JOIN api_key_use u ON u.key_id = k.id LEFT JOIN idle_key i ON i.key_id = k.id
       WHERE ${ENABLED}`,
      [
        tier,
        accountId,
        rules.maxLifetimeDays,
        graceDays,
        rules.rotationAgeDays,
        rules.idleWarnDays,
        rules.permissions,
        rules.allowListRequired ?? false,
      ],
    );
    return row!;
  }

  /** Keys that a lifetime would shorten, those that expire first before the others. In a transaction (`em`) they are locked. */
  async listShortened(
    { tier, accountId }: PolicyScope,
    { maxLifetimeDays }: KeyPolicyRules,
    { graceDays, limit }: { graceDays: number; limit: number },
    em?: EntityManager,
  ): Promise<ShortenedKey[]> {
    return (em ?? this.dataSource.manager).query<ShortenedKey[]>(
      `SELECT k.id, k.name, a.id AS "accountId", a.name AS "accountName", k.expires_at AS "expiresAt",
         ${NEW_EXPIRY} AS "newExpiresAt", k.version::int AS version
       FROM ${KEYS_IN_SCOPE} WHERE ${ENABLED} AND k.managed_by IS NULL AND ${IS_SHORTENED}
       ORDER BY ${em ? 'k.id' : '"newExpiresAt", k.id'} LIMIT $5 ${em ? 'FOR UPDATE OF k' : ''}`,
      [tier, accountId, maxLifetimeDays, graceDays, limit],
    );
  }

  /** Gives locked keys their new expiry, and keeps what it was for an undo of each; their versions after that. */
  async shorten(
    keys: readonly ShortenedKey[],
    changedBy: string,
    em: EntityManager,
  ): Promise<{ id: string; version: number; before: string | null }[]> {
    const [rows] = await em.query<[{ id: string; version: number; before: string | null }[], number]>(
      `WITH changed AS (
         SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS c (id, before, after)
       ), undo AS (
         INSERT INTO key_undo (subject_id, setting, before, changed_by, changed_at, due_at)
         SELECT id, 'expires_at', to_jsonb(to_char(before AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), $4, now(), NULL
         FROM changed
         ON CONFLICT (subject_id, setting) DO UPDATE SET before = excluded.before, changed_by = excluded.changed_by,
           changed_at = excluded.changed_at, due_at = excluded.due_at
       )
       UPDATE api_key k SET expires_at = c.after, version = version + 1, updated_at = now() FROM changed c WHERE k.id = c.id
       RETURNING k.id, k.version::int, to_jsonb(c.before) AS before`,
      [
        keys.map(({ id }) => id),
        keys.map(({ expiresAt }) => expiresAt),
        keys.map(({ newExpiresAt }) => newExpiresAt),
        changedBy,
      ],
    );
    return rows;
  }
}
