import type { AuditHead, AuditRow, RowSignature } from '@app/domain/audit/audit-chain';
import { isUuid } from '@app/domain/common/uuid';
import type { AuditScope } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { caselessPattern } from '../common/caseless';
import type { ActorKind, AuditEvent } from './audit-event.entity';
import type { EventSigner } from '@app/domain/audit/event-signers';
import { AuditKey } from './audit-key.entity';
import { escapeLike } from '../common/like';

/** Any number that no other program uses on this database: who holds it writes the next row of the chain. */
const CHAIN_LOCK = 7_301_960;
const BATCH_ROWS = 1_000;

/** An event as `AuditEvent` has it. */
const COLUMNS = `e.id, to_char(e.day, 'YYYY-MM-DD') AS day, e.seq, e.at, e.actor_kind AS "actorKind", e.actor_id AS "actorId",
  e.actor_name AS "actorName", e.actor_role AS "actorRole", e.action, e.target_type AS "targetType",
  e.target_id AS "targetId", e.account_id AS "accountId", e.before, e.after, e.reason, e.address,
  e.request_id AS "requestId", e.hash, e.key_id AS "keyId"`;

/** Names of accounts, keys, webhooks, credentials and staff by uuid ($1), of voices and service accounts by id ($2). */
const NAMES = `
  SELECT id::text, name FROM account WHERE id = ANY ($1::uuid[])
  UNION ALL SELECT id::text, name FROM api_key WHERE id = ANY ($1::uuid[]) AND deleted_at IS NULL
  UNION ALL SELECT id::text, name FROM webhook_endpoint WHERE id = ANY ($1::uuid[])
  UNION ALL SELECT id::text, name FROM contact WHERE id = ANY ($1::uuid[])
  UNION ALL SELECT id::text, name FROM budget WHERE id = ANY ($1::uuid[])
  UNION ALL SELECT id::text, name FROM service_credential WHERE id = ANY ($1::uuid[])
  UNION ALL SELECT id::text, name FROM management_credential WHERE id = ANY ($1::uuid[])
  UNION ALL SELECT id::text, name FROM staff_auth.member WHERE id = ANY ($1::uuid[])
  UNION ALL SELECT id, name FROM voice WHERE id = ANY ($2)
  UNION ALL SELECT id, name FROM service_account WHERE id = ANY ($2)`;

/** Where the chain stands, and the day and time of the row that comes next. */
export interface ChainTip {
  day: string;
  at: Date;
  /** Rows of that day so far. */
  seq: number;
  /** Hash of the last row; null when there is none at all. */
  hash: string | null;
}

export interface AuditFilter {
  /** Id of the actor, or a part of its name; for staff, of their name or e-mail address. */
  actor?: string;
  /** Id of the actor. */
  actorId?: string;
  /** A whole action, or the beginning of one followed by `*`. */
  action?: string;
  /** Also among many that were changed at once. */
  targetId?: string;
  accountId?: string;
  requestId?: string;
  from?: Date;
  /** Exclusive. */
  to?: Date;
}

/** What an account looks for among its own events. */
export interface AccountAuditFilter {
  /** The actions that it sees. */
  actions: readonly string[];
  /** An actor by its kind, or by its kind and id. */
  actor?: { kind: ActorKind; id?: string };
  from?: Date;
  /** Inclusive. */
  until?: Date;
}

/** Which part of the log a staff member sees. */
export interface AuditReader {
  id: string;
  scope: AuditScope;
}

@Injectable()
export class AuditLogRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Takes the right to write the next row, until the transaction ends: every other writer waits. Needs the isolation level
   * READ COMMITTED, which is the default.
   */
  async lockTip(em: EntityManager): Promise<ChainTip> {
    const [tip] = await em.query<ChainTip[]>('SELECT day, seq, hash, at FROM audit_chain_tip($1)', [
      CHAIN_LOCK,
    ]);
    return tip!;
  }

  /** Writes a row and moves the head of its day. The caller holds the lock of the tip. */
  async append(row: AuditRow, { hash, keyId }: RowSignature, em: EntityManager): Promise<void> {
    await em.query(
      `WITH event AS (
         INSERT INTO audit_event (day, seq, at, actor_kind, actor_id, actor_name, actor_role, action, target_type,
           target_id, account_id, before, after, reason, address, request_id, hash, key_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
       )
       INSERT INTO audit_head (day, seq, at, hash) VALUES ($1, $2, $3, $17)
       ON CONFLICT (day) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, at = excluded.at`,
      [
        row.day,
        row.seq,
        row.at,
        row.actorKind,
        row.actorId,
        row.actorName,
        row.actorRole,
        row.action,
        row.targetType,
        row.targetId,
        row.accountId,
        toJson(row.before),
        toJson(row.after),
        row.reason,
        row.address,
        row.requestId,
        hash,
        keyId,
      ],
    );
  }

  /** Events that match, newest first, older than `beforeId`. */
  async list(
    filter: AuditFilter,
    reader: AuditReader,
    { beforeId, limit }: { beforeId: string | null; limit: number },
    em: EntityManager = this.dataSource.manager,
  ): Promise<AuditEvent[]> {
    const { where, values } = conditions(filter, reader);
    if (beforeId !== null) where.push(`e.id < $${values.push(beforeId)}`);
    return this.select(
      `WHERE ${where.join(' AND ')} ORDER BY e.id DESC LIMIT $${values.push(limit)}`,
      values,
      em,
    );
  }

  /** Events of an account that match, newest first, older than `beforeId`. */
  async listOfAccount(
    accountId: string,
    { actions, actor, from, until }: AccountAuditFilter,
    { beforeId, limit }: { beforeId: string | null; limit: number },
    em: EntityManager,
  ): Promise<AuditEvent[]> {
    return this.select(
      `WHERE e.account_id = $1 AND e.action = ANY ($2) AND ($3::text IS NULL OR e.actor_kind = $3)
         AND ($4::text IS NULL OR e.actor_id = $4) AND ($5::timestamptz IS NULL OR e.at >= $5)
         AND ($6::timestamptz IS NULL OR e.at <= $6) AND ($7::bigint IS NULL OR e.id < $7)
       ORDER BY e.id DESC LIMIT $8`,
      [
        accountId,
        actions,
        actor?.kind ?? null,
        actor?.id ?? null,
        from ?? null,
        until ?? null,
        beforeId,
        limit,
      ],
      em,
    );
  }

  async count(
    filter: AuditFilter,
    reader: AuditReader,
    em: EntityManager = this.dataSource.manager,
  ): Promise<number> {
    const { where, values } = conditions(filter, reader);
    const [row] = await em.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM audit_event e WHERE ${where.join(' AND ')}`,
      values,
    );
    return row!.total;
  }

  /** What those that events are about, and did them, are called today; by their ids. What is gone has no name. */
  async namesOf(
    events: readonly AuditEvent[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<Map<string, string>> {
    const ids = [
      ...new Set(events.flatMap(({ actorId, targetId, accountId }) => [actorId, targetId, accountId ?? ''])),
    ];
    const rows = await em.query<{ id: string; name: string }[]>(NAMES, [ids.filter(isUuid), ids]);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Every event that matches, oldest first, read in batches: for exports of any length. */
  async *stream(filter: AuditFilter, reader: AuditReader): AsyncGenerator<AuditEvent> {
    for (let afterId = '0'; ;) {
      const { where, values } = conditions(filter, reader);
      where.push(`e.id > $${values.push(afterId)}`);
      const batch = await this.select(
        `WHERE ${where.join(' AND ')} ORDER BY e.id LIMIT ${BATCH_ROWS}`,
        values,
      );
      yield* batch;
      if (batch.length < BATCH_ROWS) return;
      afterId = batch.at(-1)!.id;
    }
  }

  /** The events after one of them, in their order. */
  async listAfter(afterId: string, limit: number, em: EntityManager): Promise<AuditEvent[]> {
    return this.select('WHERE e.id > $1 ORDER BY e.id LIMIT $2', [afterId, limit], em);
  }

  /** The chain in its order, whole or from one day to another, read in batches. */
  async *streamChain(first = '0001-01-01', last = '9999-12-31'): AsyncGenerator<AuditEvent> {
    for (let day = first, seq = 0; ;) {
      const batch = await this.select(
        `WHERE (e.day, e.seq) > ($1, $2) AND e.day <= $3 ORDER BY e.day, e.seq LIMIT ${BATCH_ROWS}`,
        [day, seq, last],
      );
      yield* batch;
      if (batch.length < BATCH_ROWS) return;
      ({ day, seq } = batch.at(-1)!);
    }
  }

  /** The days from one to another that have events, oldest first. */
  async listDays(first: string, last: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ day: string }[]>(
      `SELECT DISTINCT to_char(day, 'YYYY-MM-DD') AS day FROM audit_event
       WHERE audit_event.day BETWEEN $1 AND $2 ORDER BY 1`,
      [first, last],
    );
    return rows.map(({ day }) => day);
  }

  /** Which keys have signed the first event of the log and its latest ones, the latest first. */
  async readSigners(count: number): Promise<EventSigner[]> {
    return this.dataSource.query<EventSigner[]>(
      `(SELECT key_id AS "keyId", at, true AS "isFirst" FROM audit_event ORDER BY day, seq LIMIT 1)
       UNION ALL
       (SELECT key_id, at, false FROM audit_event ORDER BY day DESC, seq DESC LIMIT $1)`,
      [count],
    );
  }

  /** The keys of earlier secrets. */
  async listKeys(em: EntityManager = this.dataSource.manager): Promise<AuditKey[]> {
    return em.query<AuditKey[]>('SELECT id, sealed_key AS "sealedKey" FROM audit_key ORDER BY id');
  }

  async saveKeys(keys: readonly AuditKey[], em: EntityManager): Promise<void> {
    await em.getRepository(AuditKey).upsert([...keys], ['id']);
  }

  /** The end of each day, oldest first. */
  async listHeads(em: EntityManager = this.dataSource.manager): Promise<AuditHead[]> {
    return em.query<AuditHead[]>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, seq, hash FROM audit_head ORDER BY audit_head.day`,
    );
  }

  private async select(
    tail: string,
    values: unknown[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<AuditEvent[]> {
    return em.query<AuditEvent[]>(`SELECT ${COLUMNS} FROM audit_event e ${tail}`, values);
  }
}

function toJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function conditions(filter: AuditFilter, reader: AuditReader): { where: string[]; values: unknown[] } {
  const values: unknown[] = [];
  const where = [visibleTo(reader, filter, values)];
  const add = (value: unknown, condition: (place: string) => string) => {
    if (value !== undefined) where.push(condition(`$${values.push(value)}`));
  };
  if (filter.actor !== undefined) add(caselessPattern(filter.actor), called(`$${values.push(filter.actor)}`));
  add(filter.actorId, (place) => `e.actor_id = ${place}`);
  if (filter.action?.endsWith('*')) {
    add(`${escapeLike(filter.action.slice(0, -1))}%`, (place) => `e.action LIKE ${place}`);
  } else add(filter.action, (place) => `e.action = ${place}`);
  add(filter.targetId, about);
  add(filter.requestId, (place) => `e.request_id = ${place}`);
  add(filter.accountId, (place) => `e.account_id = ${place}`);
  add(filter.from, (place) => `e.at >= ${place}`);
  add(filter.to, (place) => `e.at < ${place}`);
  return { where, values };
}

/** Events of one object, and those of changes of many that it was among: their actions are named in the plural. */
const about = (id: string) => `e.id IN (
  SELECT t.id FROM audit_event t WHERE t.target_id = ${id}
  UNION ALL SELECT k.id FROM audit_event k WHERE k.action LIKE 'keys.%' AND k.after -> 'key_ids' ? ${id}
  UNION ALL SELECT v.id FROM audit_event v
    WHERE (v.action LIKE 'voices.%' OR v.action LIKE 'dead_letters.%') AND v.after -> 'voice_ids' ? ${id})`;

/** Events of an actor with an id, or whose name matches a pattern. */
const called = (id: string) => (pattern: string) =>
  `(e.actor_id = ${id} OR plain_text(e.actor_name) ~ ${pattern} OR e.actor_id IN
     (SELECT m.id::text FROM staff_auth.member m WHERE plain_text(m.name) ~ ${pattern}))`;

/** An account counts as a staff member's own when they manage it, and once they have acted on it. */
function visibleTo({ id, scope }: AuditReader, { targetId }: AuditFilter, values: unknown[]): string {
  if (scope === 'all') return 'true';
  const own = `e.actor_id = $${values.push(id)}`;
  if (scope === 'own_actions') return own;
  // Of a key that is named, and of changes of many keys that it was among; not of all keys at once.
  if (scope === 'keys')
    return targetId === undefined ? own : `(${own} OR e.target_type IN ('api_key', 'api_keys'))`;
  return `(${own} OR e.account_id IN (
    SELECT o.account_id FROM audit_event o WHERE o.actor_id = $${values.length}
    UNION ALL SELECT a.id FROM account a WHERE a.manager_id::text = $${values.length}))`;
}
