import { keyWorks } from '../common/key-status-sql';
import {
  FEW_PERMISSIONS,
  FINDING_KINDS,
  FINDING_TRAFFIC_DAYS,
  IDLE_DAYS,
  MANY_ADDRESSES,
  NARROW_LIST_ADDRESSES,
  OLD_SECRET_DAYS,
  weightOf,
  WIDE_LIST_FACTOR,
  type FindingKind,
} from '@app/domain/keys/key-findings';
import { UNKNOWN_ADDRESS } from '@app/domain/traffic/traffic';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { managedBy, withinBounds } from '../accounts/account-conditions';
import { Conditions } from '../common/conditions';
import { arePermissionsBeyond, POLICY_OF_ACCOUNT } from '../key-policies/key-policy.repository';
import { KeyFindingAcceptance } from './key-finding-acceptance.entity';
import { KeyFinding } from './key-finding.entity';

/** Outcomes of requests that a gate, or one before it, has stopped: their origin and their permission were not used. */
export interface StoppedOutcomes {
  address: readonly string[];
  permission: readonly string[];
}

/** How many keys have a finding of one kind. */
export interface FindingCount {
  kind: FindingKind;
  open: number;
  accepted: number;
}

/** Whose findings; all of them without any. */
export interface FindingFilter {
  accountId?: string;
  /** The account manager of their accounts; null for accounts without one. */
  managerId?: string | null;
  /** The id of a management credential: those of accounts within its bounds. */
  withinCredential?: string;
}

/** A finding of a key, and why staff accept it, if they do. */
export interface ListedFinding {
  finding: KeyFinding;
  acceptance: KeyFindingAcceptance | null;
}

/** How safe the enabled keys of an account are now. */
export interface AccountScore {
  keys: number;
  findings: number;
  /** 0 to 100; null without enabled keys. */
  score: number | null;
}

/** That a finding `f` is accepted, in SQL. */
const ACCEPTED = `EXISTS (SELECT FROM key_finding_acceptance c WHERE c.key_id = f.key_id AND c.kind = f.kind AND c.until > now())`;

/** Keys whose findings are computed in one statement. */
const KEYS_AT_A_TIME = 25;

/** The ids of the keys with an open finding of a kind, in SQL. */
export function keysWithFinding(kind: string): string {
  return `SELECT f.key_id FROM key_finding f WHERE f.kind = ${kind} AND NOT ${ACCEPTED}`;
}

const ENABLED = keyWorks('k');

/** An address as it is counted: of IPv6, the network of 64 bits within which a host changes its address at will. */
const COUNTED_ADDRESS = `CASE WHEN t.address LIKE '%:%' THEN network(set_masklen(t.address::inet, 64))::text ELSE t.address END`;

/**
 * What is found about some keys, from the keys as they are and from how they were used. A prefix is read from the text of an
 * entry, so that a list which is corrupt stops nothing.
 */
const FOUND = `
  keys AS (
    SELECT k.*, a.status AS account_status, a.created_at AS account_created_at, p.max_lifetime_days,
      p.permissions AS accepted_permissions, p.allow_list_required,
      coalesce(p.rotation_age_days, ${OLD_SECRET_DAYS}) AS max_secret_age_days
    FROM api_key k JOIN account a ON a.id = k.account_id LEFT JOIN ${POLICY_OF_ACCOUNT} WHERE k.id = ANY ($1) AND ${ENABLED}
  ), traffic AS (
    SELECT t.key_id,
      count(DISTINCT ${COUNTED_ADDRESS}) FILTER (WHERE t.outcome <> ALL ($2) AND t.address <> '${UNKNOWN_ADDRESS}') AS addresses,
      count(DISTINCT p.permission) FILTER (WHERE t.outcome <> ALL ($3)) AS permissions,
      bool_and(p.route IS NOT NULL) FILTER (WHERE t.outcome <> ALL ($3)) AS routes_known
    FROM observed_traffic t LEFT JOIN route_permission p ON p.route = t.route
    WHERE t.key_id = ANY ($1) AND t.hour >= now() - interval '${FINDING_TRAFFIC_DAYS} days' GROUP BY t.key_id
  ), active_accounts AS (
    SELECT DISTINCT a.account_id FROM (SELECT DISTINCT account_id FROM keys) a
      JOIN api_key k ON k.account_id = a.account_id JOIN api_key_use u ON u.key_id = k.id
    WHERE k.deleted_at IS NULL AND u.last_used_at >= now() - interval '${IDLE_DAYS} days'
  ), found AS (
    SELECT k.id AS key_id, k.account_id, f.kind, f.detail
    FROM keys k
      JOIN credit_balance b ON b.subject_id = k.id
      LEFT JOIN api_key_use u ON u.key_id = k.id
      LEFT JOIN traffic t ON t.key_id = k.id
      LEFT JOIN active_accounts active ON active.account_id = k.account_id
      JOIN LATERAL (
        SELECT c.number, c.created_at, c.last_used_at FROM api_key_secret c WHERE c.key_id = k.id ORDER BY c.number DESC LIMIT 1
      ) s ON true
      LEFT JOIN api_key_secret o ON o.key_id = k.id AND o.number = s.number - 1 AND o.retires_at > now()
      LEFT JOIN LATERAL (
        SELECT min(e.prefix) AS widest, sum(2 ^ greatest(0, e.size - e.prefix)) AS addresses FROM (
          SELECT CASE WHEN c.cidr LIKE '%:%' THEN 64 ELSE 32 END AS size,
            coalesce(substring(c.cidr FROM '/([0-9]{1,3})$')::int, CASE WHEN c.cidr LIKE '%:%' THEN 128 ELSE 32 END) AS prefix
          FROM unnest(k.allowed_ips) AS c (cidr)
          WHERE NOT EXISTS (
            SELECT FROM allow_list_entry l WHERE l.key_id = k.id AND l.cidr = c.cidr AND l.ends_at <= now()
          )
        ) e
      ) list ON true
      CROSS JOIN LATERAL (VALUES
        ('no_credit_limit', b.credit_limit IS NULL, '{}'::jsonb),
        ('never_expires', k.expires_at IS NULL, '{}'::jsonb),
        ('idle', k.created_at < now() - interval '${IDLE_DAYS} days'
            AND coalesce(u.last_used_at, '-infinity') < now() - interval '${IDLE_DAYS} days',
          jsonb_build_object('lastUsedAt', u.last_used_at)),
        ('idle_account', k.account_status <> 'active'
            OR (active.account_id IS NULL AND k.account_created_at < now() - interval '${IDLE_DAYS} days'),
          jsonb_build_object('accountStatus', k.account_status)),
        ('unused_permissions', k.permissions IS NULL AND t.routes_known AND t.permissions <= ${FEW_PERMISSIONS},
          jsonb_build_object('permissionsUsed', t.permissions)),
        ('used_in_browser', u.browser_at >= now() - interval '${FINDING_TRAFFIC_DAYS} days',
          jsonb_build_object('browserOrigin', u.browser_origin, 'browserAt', u.browser_at)),
        ('wide_allow_list', list.addresses > ${NARROW_LIST_ADDRESSES} AND t.addresses > 0
            AND list.addresses >= ${WIDE_LIST_FACTOR} * t.addresses,
          jsonb_build_object('widestPrefix', list.widest, 'addressesAllowed', list.addresses, 'addressesSeen', t.addresses)),
        ('many_addresses', t.addresses > ${MANY_ADDRESSES}, jsonb_build_object('addressesSeen', t.addresses)),
        ('lifetime_exceeded', coalesce(k.expires_at, 'infinity') > s.created_at + k.max_lifetime_days * interval '1 day',
          jsonb_build_object('maxLifetimeDays', k.max_lifetime_days,
            'latestExpiry', s.created_at + k.max_lifetime_days * interval '1 day')),
        ('permissions_exceeded', ${arePermissionsBeyond('k.permissions', 'k.accepted_permissions')},
          jsonb_build_object('permissionsBeyond', (SELECT coalesce(jsonb_agg(n), '[]') FROM unnest(k.permissions) n
            WHERE n <> ALL (k.accepted_permissions)))),
        ('allow_list_missing', k.allow_list_required AND k.allowed_ips IS NULL, '{}'::jsonb),
        ('old_secret', s.created_at < now() - k.max_secret_age_days * interval '1 day',
          jsonb_build_object('secretCreatedAt', s.created_at, 'maxSecretAgeDays', k.max_secret_age_days)),
        ('unfinished_rotation', o.number IS NOT NULL AND (s.last_used_at IS NULL OR o.last_used_at > s.last_used_at),
          jsonb_build_object('retiresAt', o.retires_at))
      ) AS f (kind, holds, detail)
    WHERE f.holds
  )`;

/** What is found about keys: computed again from time to time, listed, counted and accepted. */
@Injectable()
export class KeyFindingRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Has the findings of keys, or of all keys of accounts, computed again soon. */
  async markDue(ids: readonly string[], em: EntityManager): Promise<void> {
    await em.query('INSERT INTO key_finding_due (id) SELECT unnest($1::uuid[])', [ids]);
  }

  /** Makes the findings of keys again: new ones are added, and those that no longer hold are deleted. */
  async refresh(keyIds: readonly string[], stopped: StoppedOutcomes, em: EntityManager): Promise<void> {
    // Of some keys at a time: those in use have thousands of lines of traffic each, and a statement has 5 s.
    for (let at = 0; at < keyIds.length; at += KEYS_AT_A_TIME)
      await this.refreshSome(keyIds.slice(at, at + KEYS_AT_A_TIME), stopped, em);
  }

  private async refreshSome(
    keyIds: readonly string[],
    stopped: StoppedOutcomes,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `WITH ${FOUND}, resolved AS (
         DELETE FROM key_finding f WHERE f.key_id = ANY ($1)
           AND NOT EXISTS (SELECT FROM found WHERE found.key_id = f.key_id AND found.kind = f.kind)
       )
       INSERT INTO key_finding AS f (key_id, account_id, kind, detail)
       SELECT key_id, account_id, kind, detail FROM found
       ON CONFLICT (key_id, kind) DO UPDATE SET detail = excluded.detail WHERE f.detail <> excluded.detail`,
      [keyIds, stopped.address, stopped.permission],
    );
  }

  /** How many keys have a finding of each kind; kinds without any are left out. */
  async count(
    { accountId, managerId, withinCredential }: FindingFilter,
    em: EntityManager = this.dataSource.manager,
  ): Promise<FindingCount[]> {
    const where = new Conditions();
    where.ifPresent(accountId, (id) => `f.account_id = ${id}`);
    if (managerId !== undefined)
      where.add(`f.account_id IN (SELECT a.id FROM account a WHERE ${managedBy('a', managerId, where)})`);
    if (withinCredential !== undefined)
      where.add(
        `f.account_id IN (SELECT a.id FROM account a WHERE ${withinBounds('a', where.value(withinCredential))})`,
      );
    return em.query<FindingCount[]>(
      `SELECT f.kind, count(*) FILTER (WHERE c.key_id IS NULL)::int AS open, count(c.key_id)::int AS accepted
       FROM key_finding f LEFT JOIN key_finding_acceptance c
         ON c.key_id = f.key_id AND c.kind = f.kind AND c.until > now()
       WHERE ${where.sql} GROUP BY f.kind`,
      where.values,
    );
  }

  /** How safe the enabled keys of an account are. */
  async score(accountId: string): Promise<AccountScore> {
    const [row] = await this.dataSource.query<AccountScore[]>(
      `SELECT s.keys, s.findings, s.score FROM (${SCORES}) s`,
      [[accountId], ...WEIGHTS],
    );
    return row ?? { keys: 0, findings: 0, score: null };
  }

  /** Stores today's score of accounts. */
  async saveScores(accountIds: readonly string[], em: EntityManager): Promise<void> {
    await em.query(
      `INSERT INTO key_safety_day (account_id, day, keys, findings, score)
       SELECT s.account_id, (now() AT TIME ZONE 'UTC')::date, s.keys, s.findings, s.score FROM (${SCORES}) s
       ON CONFLICT (account_id, day) DO UPDATE
         SET keys = excluded.keys, findings = excluded.findings, score = excluded.score`,
      [accountIds, ...WEIGHTS],
    );
  }

  /** The findings of a key. */
  async list(keyId: string): Promise<ListedFinding[]> {
    const [findings, acceptances] = await Promise.all([
      this.dataSource.manager.findBy(KeyFinding, { keyId }),
      this.dataSource.manager.findBy(KeyFindingAcceptance, { keyId }),
    ]);
    const now = new Date();
    return findings.map((finding) => ({
      finding,
      acceptance: acceptances.find(({ kind, until }) => kind === finding.kind && until > now) ?? null,
    }));
  }

  async has(keyId: string, kind: FindingKind, em: EntityManager): Promise<boolean> {
    return em.existsBy(KeyFinding, { keyId, kind });
  }

  /** The acceptance of a finding that has not ended, or null. */
  async findAcceptance(
    keyId: string,
    kind: FindingKind,
    em: EntityManager,
  ): Promise<KeyFindingAcceptance | null> {
    const acceptance = await em.findOneBy(KeyFindingAcceptance, { keyId, kind });
    return acceptance && acceptance.until > new Date() ? acceptance : null;
  }

  async accept(acceptance: KeyFindingAcceptance, em: EntityManager): Promise<void> {
    await em.upsert(KeyFindingAcceptance, acceptance, ['keyId', 'kind']);
  }

  async reopen(keyId: string, kind: FindingKind, em: EntityManager): Promise<void> {
    await em.delete(KeyFindingAcceptance, { keyId, kind });
  }
}

/** The kinds and what each takes off, as parameters $2 and $3 of `SCORES`. */
const WEIGHTS = [FINDING_KINDS, FINDING_KINDS.map(weightOf)];

/** The mean of what is left of 100 points for each enabled key of the accounts $1. */
const SCORES = `
  SELECT k.account_id, count(*)::int AS keys, coalesce(sum(o.findings), 0)::int AS findings,
    round(avg(100 - least(100, coalesce(o.weight, 0))))::int AS score
  FROM api_key k LEFT JOIN (
    SELECT f.key_id, count(*) AS findings, sum(w.weight) AS weight
    FROM key_finding f JOIN unnest($2::text[], $3::int[]) AS w (kind, weight) ON w.kind = f.kind
    WHERE f.account_id = ANY ($1) AND NOT ${ACCEPTED} GROUP BY f.key_id
  ) o ON o.key_id = k.id
  WHERE k.account_id = ANY ($1) AND ${ENABLED} GROUP BY k.account_id`;
