import { compileEntries, readStoredList } from '@app/domain/allow-lists/allow-list';
import type { GenerationLimit, VerifiableKey } from '@app/domain/keys/verifiable-key';
import { narrowed, type KeyGrants } from '@app/domain/keys/key-grants';
import type { KeySettings } from '@app/domain/keys/key-fields';
import type { ImportedKey } from '@app/domain/keys/key-import';
import { compilePermissions } from '@app/domain/keys/permissions';
import { limitInWindow, MINUTE_MS, WINDOWS } from '@app/domain/keys/request-limits';
import { TIERS, type Tier } from '@app/domain/accounts/tiers';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, Not, type EntityManager, type EntityMetadata } from 'typeorm';
import type { AccountStatus } from '@app/domain/accounts/account-status';
import { AccountLists } from './account-lists';
import { ApiKeySecret } from './api-key-secret.entity';
import { ApiKey } from './api-key.entity';
import { lockText } from '../common/lock-text';
import { gatherReads } from '../common/gathered-reads';
import { queryPrepared } from '../common/prepared-statement';

/** What is stored of a key's grants. */
interface StoredGrants {
  permissions: string[] | null;
  /** Read only where credits are compared. */
  creditLimit?: number | null;
  allowedIps: string[] | null;
  /** When entries of the list stop matching, by their text; null when none does. */
  allowListEndsMs: Record<string, number> | null;
  expiresAtMs: number | null;
  requestsPerMinute: number | null;
  requestsPerSecond: number | null;
  requestsPerDay: number | null;
  concurrencyLimit: number | null;
  models: string[] | null;
  voices: string[] | null;
}

interface StoredParentKey extends StoredGrants {
  id: string;
  /** Why it is not in use, or null. */
  ended: string | null;
}

/** A key with its account, as it is stored. */
interface StoredKey extends StoredGrants {
  keyId: string;
  accountId: string;
  /** Nearest first; null for a key that no key has created. */
  parentKeys: StoredParentKey[] | null;
  disableReason: string | null;
  version: number;
  accountStatus: AccountStatus | 'moving';
  tier: Tier;
  accountConcurrency: number;
  /** The list of the account; null for none. */
  accountIps: string[] | null;
  accountListEndsMs: Record<string, number> | null;
  digest: string;
  secretNumber: number;
  issuedAt: Date;
  retiresAt: Date | null;
}

/** The columns of StoredGrants of a key, in SQL. */
const grantsOf = (key: string) => `
  ${key}.permissions, ${key}.allowed_ips AS "allowedIps", ${key}.requests_per_minute AS "requestsPerMinute",
  ${key}.requests_per_second AS "requestsPerSecond", ${key}.requests_per_day AS "requestsPerDay",
  ${key}.concurrency_limit AS "concurrencyLimit", ${key}.models, ${key}.voices,
  (extract(epoch FROM ${key}.expires_at) * 1000)::float8 AS "expiresAtMs",
  (SELECT jsonb_object_agg(e.cidr, extract(epoch FROM e.ends_at) * 1000) FROM allow_list_entry e
   WHERE e.key_id = ${key}.id AND e.ends_at IS NOT NULL AND ${key}.allowed_ips IS NOT NULL) AS "allowListEndsMs"`;

/** The parent keys of the key `k`, in SQL. Of a key that has none, nothing more is read. */
const PARENT_KEYS = `
  CASE WHEN k.maker_ids IS NOT NULL THEN (
    SELECT jsonb_agg(to_jsonb(parent) ORDER BY parent.place) FROM (
      SELECT c.place, c.id, ${grantsOf('m')},
        CASE WHEN m.id IS NULL OR m.deleted_at IS NOT NULL THEN 'deleted' ELSE m.disable_reason END AS ended
      FROM unnest(k.maker_ids) WITH ORDINALITY AS c (id, place) LEFT JOIN api_key m ON m.id = c.id
    ) parent
  ) END`;

/** What every request reads of its key, written by hand; a spec compares it with the table of settings. */
export const VERIFIABLE_KEY = `
  SELECT k.id AS "keyId", k.account_id AS "accountId", ${grantsOf('k')}, ${PARENT_KEYS} AS "parentKeys",
    k.disable_reason AS "disableReason", k.version::int AS version,
    CASE WHEN a.frozen_at IS NULL THEN a.status ELSE 'moving' END AS "accountStatus", a.tier, a.concurrency_limit AS "accountConcurrency",
    a.allowed_ips AS "accountIps",
    CASE WHEN a.allowed_ips IS NOT NULL THEN (
      SELECT jsonb_object_agg(e.cidr, extract(epoch FROM e.ends_at) * 1000) FROM allow_list_entry e
      WHERE e.key_id = a.id AND e.ends_at IS NOT NULL
    ) END AS "accountListEndsMs",
    s.digest, s.number AS "secretNumber", s.created_at AS "issuedAt", s.retires_at AS "retiresAt"
  FROM api_key_secret s JOIN api_key k ON k.id = s.key_id JOIN account a ON a.id = k.account_id`;

/** One row for each digest of the list that a key has. */
const BY_DIGESTS = {
  name: 'keys_by_digest',
  text: `${VERIFIABLE_KEY} WHERE s.digest = ANY ($1::text[]) AND k.deleted_at IS NULL`,
};

/** What a change may set. */
export type ApiKeyPatch = Partial<
  Omit<KeySettings, 'creditLimit'> &
    Pick<ApiKey, 'disableReason' | 'disabledAt' | 'disabledByCustomer' | 'deletedAt' | 'managedBy'>
>;

/** A key of an import. */
export interface NewImportedKey extends Omit<ImportedKey, 'line'> {
  id: string;
  accountId: string;
}

export type NewSecret = Pick<ApiKeySecret, 'digest' | 'keyId' | 'number' | 'maskedSecret' | 'createdAt'>;

/** A key after a change of many. */
export type UpdatedKey = Pick<ApiKey, 'id' | 'accountId' | 'name' | 'version'>;

/** One use of a key that was let in. */
/** A page has sent the secret of a key. */
export interface BrowserUse {
  keyId: string;
  /** As the browser names it: `https://example.com`. */
  origin: string;
  at: Date;
}

export interface KeyUseMark {
  keyId: string;
  secretNumber: number;
  at: Date;
  address: string | null;
}

@Injectable()
export class ApiKeyRepository {
  /** Prepared and gathered: it is run for every key that a process meets, and after a restart for many at once. */
  private readonly findStored = gatherReads<StoredKey>(async (digests) => {
    const rows = await queryPrepared<StoredKey>(this.dataSource, BY_DIGESTS, [digests]);
    return new Map(rows.map((row) => [row.digest, row]));
  });

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores a new key with its first secret: enabled, in its first version. */
  async insert(key: ApiKey, secret: NewSecret, em: EntityManager = this.dataSource.manager): Promise<void> {
    const row = rowOf(em.connection.getMetadata(ApiKey), key);
    const columns = Object.keys(row).join(', ');
    await em.query(
      `WITH secret AS (
         INSERT INTO api_key_secret (key_id, digest, number, hint, created_at) VALUES ($1, $2, $3, $4, $5)
       ), use AS (
         INSERT INTO api_key_use (key_id) VALUES ($1)
       )
       INSERT INTO api_key (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::api_key, $6)`,
      [key.id, secret.digest, secret.number, secret.maskedSecret, key.createdAt, JSON.stringify(row)],
    );
  }

  /**
   * Which of these digests keys have, deleted ones included, and which external ids keys of the account have. Until the
   * transaction ends, every other import waits.
   */
  async listTaken(
    accountId: string,
    keys: readonly Pick<NewImportedKey, 'digest' | 'externalId'>[],
    em: EntityManager,
  ): Promise<{ digests: Set<string>; externalIds: Set<string> }> {
    await lockText('api_key import', em);
    const digests = await em.query<{ digest: string }[]>(
      'SELECT digest FROM api_key_secret WHERE digest = ANY ($1)',
      [keys.map(({ digest }) => digest)],
    );
    const externalIds = await em.query<{ id: string }[]>(
      'SELECT external_id AS id FROM api_key WHERE account_id = $1 AND external_id = ANY ($2) AND deleted_at IS NULL',
      [accountId, keys.flatMap(({ externalId }) => externalId ?? [])],
    );
    return {
      digests: new Set(digests.map(({ digest }) => digest)),
      externalIds: new Set(externalIds.map(({ id }) => id)),
    };
  }

  /** Stores keys of one account, each with its first secret: enabled, in their first version. */
  async insertImported(
    keys: readonly NewImportedKey[],
    { createdAt, expiresAt }: Pick<ApiKey, 'createdAt' | 'expiresAt'>,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `WITH item AS (
         SELECT * FROM jsonb_to_recordset($1) AS i (id uuid, "accountId" uuid, name text, digest text, "maskedSecret" text,
           permissions text[], "externalId" text)
       ), secret AS (
         INSERT INTO api_key_secret (key_id, digest, number, hint, created_at) SELECT id, digest, 1, "maskedSecret", $2 FROM item
       ), use AS (
         INSERT INTO api_key_use (key_id) SELECT id FROM item
       )
       INSERT INTO api_key (id, created_at, updated_at, account_id, name, permissions, expires_at, tags, external_id)
       SELECT id, $2, $2, "accountId", name, permissions, $3, '{}', "externalId" FROM item`,
      [JSON.stringify(keys), createdAt, expiresAt],
    );
  }

  /** The key a secret belongs to, regardless of its state; null when no key has this secret. */
  async findByDigest(digest: string): Promise<VerifiableKey | null> {
    const row = await this.findStored(digest);
    return row ? compile(row) : null;
  }

  /** The same by the key's id, with the secret that has this number or else with the newest one. */
  async findVerifiable(
    id: string,
    secretNumber?: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<VerifiableKey | null> {
    const rows = await em.query<StoredKey[]>(
      `${VERIFIABLE_KEY} WHERE s.key_id = $1 AND s.number = coalesce($2, s.number) AND k.deleted_at IS NULL
       ORDER BY s.number DESC LIMIT 1`,
      [id, secretNumber],
    );
    return rows[0] ? compile(rows[0]) : null;
  }

  /** How free a key is: no freer than any of its parent keys. Null for an unknown or deleted one. */
  async findGrants(id: string, em: EntityManager = this.dataSource.manager): Promise<KeyGrants | null> {
    const rows = await em.query<(StoredGrants & { tier: Tier })[]>(
      `SELECT ${grantsOf('k')}, b.credit_limit::float8 AS "creditLimit", a.tier
       FROM api_key own CROSS JOIN unnest(own.id || own.maker_ids) WITH ORDINALITY AS c (id, place)
         JOIN api_key k ON k.id = c.id JOIN credit_balance b ON b.subject_id = k.id JOIN account a ON a.id = k.account_id
       WHERE own.id = $1 AND own.deleted_at IS NULL ORDER BY c.place`,
      [id],
    );
    const [own, ...parentKeys] = rows.map((row) => toGrants(row, row.tier));
    return own ? narrowed(own, parentKeys) : null;
  }

  /** Keys of a service account that are not deleted. */
  async countOfServiceAccount(serviceAccountId: string, em: EntityManager): Promise<number> {
    return em.count(ApiKey, { where: { serviceAccountId, deletedAt: IsNull() } });
  }

  /** Detaches a key from its parent keys, and with it the keys that it has created. Their balances: CreditBalances.detach. */
  async detach(id: string, em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE api_key k SET maker_ids = nullif(k.maker_ids[:coalesce(array_position(k.maker_ids, $1), 0)], '{}')
       WHERE k.id = $1 OR k.maker_ids @> ARRAY[$1::uuid]`,
      [id],
    );
  }

  /**
   * Whether another key of the account has this external id. Until the transaction ends, no other transaction that asks
   * the same gets a response.
   */
  async hasExternalId(
    { id, accountId, externalId }: { id: string; accountId: string; externalId: string },
    em: EntityManager,
  ): Promise<boolean> {
    await lockText(`api_key ${accountId} ${externalId}`, em);
    const others = { accountId, externalId, deletedAt: IsNull(), id: Not(id) };
    return em.existsBy(ApiKey, others);
  }

  /** A key that is not deleted, or null. */
  async find(id: string, em: EntityManager = this.dataSource.manager): Promise<ApiKey | null> {
    return em.findOne(ApiKey, { where: { id, deletedAt: IsNull() } });
  }

  /** Whether there is such a key that is not deleted. */
  async exists(id: string): Promise<boolean> {
    return this.dataSource.manager.existsBy(ApiKey, { id, deletedAt: IsNull() });
  }

  /** Locks a key's row until the transaction ends; null for an unknown or deleted one. */
  async lock(id: string, em: EntityManager): Promise<ApiKey | null> {
    return em
      .createQueryBuilder(ApiKey, 'k')
      .where('k.id = :id AND k.deletedAt IS NULL', { id })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Locks a deleted key that can still be restored until the transaction ends; null for any other. */
  async lockDeleted(id: string, em: EntityManager): Promise<ApiKey | null> {
    return em
      .createQueryBuilder(ApiKey, 'k')
      .where('k.id = :id AND k.deletedAt IS NOT NULL AND k.removedAt IS NULL', { id })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Removes the secrets of keys that were deleted so long ago, at most `limit` of them: nothing can restore these keys. */
  async removeDeleted(days: number, limit: number): Promise<number> {
    const [, removed] = await this.dataSource.query<[unknown, number]>(
      `WITH old AS (
         SELECT id FROM api_key WHERE deleted_at < now() - $1 * interval '1 day' AND removed_at IS NULL
         ORDER BY deleted_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ), secrets AS (
         DELETE FROM api_key_secret s USING old WHERE s.key_id = old.id
       )
       UPDATE api_key k SET removed_at = now() FROM old WHERE k.id = old.id`,
      [days, limit],
    );
    return removed;
  }

  /** Locks keys in one order until the transaction ends, so that two that change each other do not deadlock. */
  async lockAll(ids: readonly string[], em: EntityManager): Promise<ApiKey[]> {
    return em
      .createQueryBuilder(ApiKey, 'k')
      .where('k.id = ANY (:ids) AND k.deletedAt IS NULL', { ids })
      .orderBy('k.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** Changes a key and counts the change. `updatedAt` is the time of the transaction. */
  async update(id: string, patch: ApiKeyPatch, em: EntityManager): Promise<void> {
    await em
      .createQueryBuilder()
      .update(ApiKey)
      .set({ ...patch, version: () => 'version + 1', updatedAt: () => 'now()' })
      .where('id = :id', { id })
      .execute();
  }

  /** Every secret a key has had, newest first. */
  async listSecrets(keyId: string, em: EntityManager = this.dataSource.manager): Promise<ApiKeySecret[]> {
    return em.find(ApiKeySecret, { where: { keyId }, order: { number: 'DESC' } });
  }

  /** Stores a new current secret. The older ones must have a time of retirement. */
  async insertSecret(secret: NewSecret, em: EntityManager): Promise<void> {
    await em.insert(ApiKeySecret, secret);
  }

  /** Sets when the working secrets of a key stop working, except the one with the number `except`. */
  async retireSecrets(
    keyId: string,
    { at, except = 0 }: { at: Date; except?: number },
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `UPDATE api_key_secret SET retires_at = $2
       WHERE key_id = $1 AND number <> $3 AND (retires_at IS NULL OR retires_at > $2)`,
      [keyId, at, except],
    );
  }

  /** Changes keys that the caller has locked, all in the same way; returns them with their new versions. */
  async updateAll(ids: string[], patch: ApiKeyPatch, em: EntityManager): Promise<UpdatedKey[]> {
    const { raw } = await em
      .createQueryBuilder()
      .update(ApiKey)
      .set({ ...patch, version: () => 'version + 1', updatedAt: () => 'now()' })
      .where('id = ANY (:ids)', { ids })
      .returning('id, account_id AS "accountId", name, version::int')
      .execute();
    return raw as UpdatedKey[];
  }

  /** Adds a tag to keys that the caller has locked, or removes it; returns them with their new versions. */
  async tagAll(
    ids: string[],
    tag: string,
    change: 'add' | 'remove',
    em: EntityManager,
  ): Promise<UpdatedKey[]> {
    const tags =
      change === 'add'
        ? 'ARRAY(SELECT t FROM unnest(array_append(tags, $2)) AS t ORDER BY t COLLATE "C")'
        : 'array_remove(tags, $2)';
    const [rows] = await em.query<[UpdatedKey[], number]>(
      `UPDATE api_key SET tags = ${tags}, version = version + 1, updated_at = now() WHERE id = ANY ($1)
       RETURNING id, account_id AS "accountId", name, version::int`,
      [ids, tag],
    );
    return rows;
  }

  /** Restores columns of keys that the caller has locked; `before` has the former values by the names of the columns. */
  async restoreAll(
    keys: readonly { id: string; before: object }[],
    columns: readonly ('expires_at' | 'disable_reason' | 'disabled_at' | 'disabled_by_customer')[],
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `UPDATE api_key k SET ${columns.map((name) => `${name} = was.${name}`).join(', ')},
         version = k.version + 1, updated_at = now()
       FROM jsonb_array_elements($1) AS item, jsonb_populate_record(NULL::api_key, item -> 'before') AS was
       WHERE k.id = (item ->> 'id')::uuid`,
      [JSON.stringify(keys)],
    );
  }

  /** Notes that pages have sent the secrets of keys, and has what is found about those keys computed again. */
  async markUsedInBrowser(
    uses: readonly BrowserUse[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    if (uses.length === 0) return;
    await em.query(
      `WITH used AS (
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS b (key_id, origin, at)
       ), locked AS (
         SELECT u.key_id FROM api_key_use u WHERE u.key_id = ANY ($1) ORDER BY u.key_id FOR UPDATE
       ), marked AS (
         UPDATE api_key_use u SET browser_at = b.at, browser_origin = b.origin FROM used b, locked l
         WHERE l.key_id = b.key_id AND u.key_id = b.key_id AND coalesce(u.browser_at < b.at, true) RETURNING u.key_id
       )
       INSERT INTO key_finding_due (id) SELECT key_id FROM marked`,
      [uses.map(({ keyId }) => keyId), uses.map(({ origin }) => origin), uses.map(({ at }) => at)],
    );
  }

  /** Notes when and from where keys were last used. At most one mark for each secret; older marks change nothing. */
  async markUsed(marks: KeyUseMark[], em: EntityManager = this.dataSource.manager): Promise<void> {
    if (marks.length === 0) return;
    // The rows of the keys are locked in one order, so that two processes that mark the same keys do not deadlock.
    await em.query(
      `WITH mark AS (
         SELECT * FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::text[]) AS m (key_id, number, at, address)
       ), locked AS (
         SELECT u.key_id FROM api_key_use u WHERE u.key_id = ANY ($1) ORDER BY u.key_id FOR UPDATE
       ), newest AS (
         SELECT DISTINCT ON (m.key_id) m.* FROM mark m JOIN locked l ON l.key_id = m.key_id ORDER BY m.key_id, m.at DESC
       ), of_secret AS (
         UPDATE api_key_secret s SET last_used_at = m.at, last_used_address = m.address FROM mark m, locked l
         WHERE l.key_id = m.key_id AND s.key_id = m.key_id AND s.number = m.number
           AND (s.last_used_at IS NULL OR s.last_used_at < m.at)
       )
       UPDATE api_key_use u SET last_used_at = n.at, last_used_address = n.address FROM newest n
       WHERE u.key_id = n.key_id AND (u.last_used_at IS NULL OR u.last_used_at < n.at)`,
      [
        marks.map((mark) => mark.keyId),
        marks.map((mark) => mark.secretNumber),
        marks.map((mark) => mark.at),
        marks.map((mark) => mark.address),
      ],
    );
  }
}

const ACCOUNT_LISTS = new AccountLists();

/** A key by the names of its columns. */
function rowOf({ columns }: EntityMetadata, entity: ApiKey): Record<string, unknown> {
  return Object.fromEntries(columns.map((column) => [column.databaseName, column.getEntityValue(entity)]));
}

/** Every field by its name: objects from spread rows do not share a hidden class, and each request paid for that. */
function compile(row: StoredKey): VerifiableKey {
  const parentKeys = row.parentKeys ?? [];
  const ofParentKeys = parentKeys.map((parentKey) => toGrants(parentKey, row.tier));
  const free = narrowed(toGrants(row, row.tier), ofParentKeys);
  const requestLimit = requestLimitOf(row, parentKeys, free, ofParentKeys);
  return {
    keyId: row.keyId,
    accountId: row.accountId,
    accountStatus: row.accountStatus,
    tier: row.tier,
    generationLimits: generationLimitsOf(row, parentKeys),
    requestLimit,
    requestLimits: requestLimitsOf(row, parentKeys, requestLimit),
    parentKeyIds: parentKeys.map(({ id }) => id),
    parentKeyEnded: parentKeys.find(({ ended }) => ended !== null)?.ended ?? null,
    permissions: compilePermissions(free.permissions),
    models: free.models,
    voices: free.voices,
    allowList: free.allowList && compileEntries(free.allowList),
    accountList:
      row.accountIps && ACCOUNT_LISTS.compiled(row.accountId, row.accountIps, row.accountListEndsMs),
    disableReason: row.disableReason,
    expiresAtMs: free.expiresAtMs,
    secretNumber: row.secretNumber,
    issuedAtMs: row.issuedAt.getTime(),
    retiresAtMs: row.retiresAt?.getTime() ?? null,
    version: row.version,
  };
}

/**
 * A key without a separate number is counted under its nearest parent key with one, together with that parent key and within the same
 * limit: two limits for one window would each discard what the other was granted.
 */
function requestLimitOf(
  row: StoredKey,
  parentKeys: readonly StoredParentKey[],
  free: KeyGrants,
  ofParentKeys: readonly KeyGrants[],
): VerifiableKey['requestLimit'] {
  const place = parentKeys.findIndex(({ requestsPerMinute }) => requestsPerMinute !== null);
  if (row.requestsPerMinute !== null || place === -1)
    return { keyId: row.keyId, requestsPerMinute: free.requestsPerMinute };
  const { requestsPerMinute } = narrowed(ofParentKeys[place]!, ofParentKeys.slice(place + 1));
  return { keyId: parentKeys[place]!.id, requestsPerMinute };
}

/** All of them, when there is more than the limit per minute; the shortest window first, so that a refused request costs little. */
function requestLimitsOf(
  row: StoredKey,
  parentKeys: readonly StoredParentKey[],
  { keyId, requestsPerMinute: requests }: VerifiableKey['requestLimit'],
): VerifiableKey['requestLimits'] {
  const limitOf = (name: keyof typeof WINDOWS) =>
    limitInWindow(WINDOWS[name].ms, [
      { id: row.keyId, limit: row[name] },
      ...parentKeys.map((parentKey) => ({ id: parentKey.id, limit: parentKey[name] })),
    ]);
  const [second, day] = [limitOf('requestsPerSecond'), limitOf('requestsPerDay')];
  if (!second && !day) return undefined;
  const minute = { keyId, requests, windowMs: MINUTE_MS };
  return [second, minute, day].filter((limit) => limit !== null);
}

/** A generation takes a slot of each: keys that a limited key has created share its slots. */
function generationLimitsOf(row: StoredKey, parentKeys: readonly StoredParentKey[]): GenerationLimit[] {
  const limits = [{ ...row, id: row.keyId }, ...parentKeys].flatMap(({ id, concurrencyLimit: limit }) =>
    limit === null ? [] : [{ ownerId: id, limit }],
  );
  return [...limits, { ownerId: row.accountId, limit: row.accountConcurrency }];
}

function toGrants(row: StoredGrants, tier: Tier): KeyGrants {
  return {
    permissions: row.permissions,
    creditLimit: row.creditLimit ?? null,
    allowList: row.allowedIps && readStoredList(row.allowedIps, row.allowListEndsMs ?? {}),
    expiresAtMs: row.expiresAtMs,
    requestsPerMinute: row.requestsPerMinute ?? TIERS[tier].requestsPerMinute,
    concurrencyLimit: row.concurrencyLimit,
    models: row.models,
    voices: row.voices,
  };
}
