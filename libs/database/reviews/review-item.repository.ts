import { deskUrgency, type DeskReason } from '@app/domain/reviews/desk-reasons';
import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import type { RecordingGrade, ReviewState } from '@app/domain/reviews/review-state';
import type { Tier } from '@app/domain/accounts/tiers';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../common/conditions';
import type { DeskDecision } from './review-item.entity';

/** How long a member of staff has an item to themselves, unless they take it again. */
const TAKEN_SECS = 5 * 60;
/** A person whose browser has said nothing for this long has left the desk. */
const PRESENT_SECS = 40;

/** An item as the desk shows it, with what is known of its voice. */
export interface DeskItem {
  id: string;
  voiceId: string;
  voiceName: string;
  accountId: string;
  accountName: string | null;
  tier: Tier | null;
  state: ReviewState;
  grade: RecordingGrade | null;
  gradeReason: string | null;
  score: number | null;
  measurements: RecordingMeasurements | null;
  reasons: DeskReason[];
  note: string | null;
  priority: number;
  createdAt: Date;
  dueAt: Date;
  isOverdue: boolean;
  assignedTo: StaffName | null;
  /** Who has it to themselves now; null when anybody may take it. */
  takenBy: StaffName | null;
  takenUntil: Date | null;
  snoozedUntil: Date | null;
  snoozeNote: string | null;
  decidedAt: Date | null;
  decidedBy: string | null;
  decision: DeskDecision | null;
  decidedGrade: RecordingGrade | null;
}

export interface StaffName {
  id: string;
  name: string;
}

export const DESK_STATES = ['open', 'mine', 'taken', 'snoozed', 'decided'] as const;

export interface DeskFilter {
  state: (typeof DESK_STATES)[number];
  reason?: DeskReason;
  accountId?: string;
  /** Only those past their target. */
  overdue?: boolean;
  /** Of whom `mine` is. */
  staffId: string;
}

export interface DeskSummary {
  /** Open items that are not snoozed. */
  waiting: number;
  overdue: number;
  snoozed: number;
  /** Open items by reason; an item with two reasons counts twice. */
  reasons: { reason: DeskReason; items: number }[];
}

/** Where an item stands in a list. */
export interface DeskPosition {
  rank: number;
  at: string;
  id: string;
}

const QUEUE = { rank: '-i.priority', at: 'i.due_at', direction: 'ASC' };
const NEWEST_DECISION = { rank: '0', at: 'i.decided_at', direction: 'DESC' };

const TAKEN = '(i.taken_by IS NOT NULL AND i.taken_until > now())';
const SNOOZED = '(i.snoozed_until IS NOT NULL AND i.snoozed_until > now())';

const STATE_CONDITIONS: Record<DeskFilter['state'], (staffId: string) => string> = {
  open: () => `i.decided_at IS NULL AND NOT ${SNOOZED}`,
  mine: (me) => `i.decided_at IS NULL AND ((i.taken_by = ${me} AND ${TAKEN}) OR i.assigned_to = ${me})`,
  taken: () => `i.decided_at IS NULL AND ${TAKEN}`,
  snoozed: () => `i.decided_at IS NULL AND ${SNOOZED}`,
  decided: () => 'i.decided_at IS NOT NULL',
};

const nameOf = (member: string) =>
  `CASE WHEN ${member}.id IS NULL THEN NULL ELSE json_build_object('id', ${member}.id, 'name', ${member}.name) END`;

const ITEMS = `SELECT i.id, i.voice_id AS "voiceId", v.name AS "voiceName", v.account_id AS "accountId",
    a.name AS "accountName", a.tier, v.review_state AS state, v.recording_quality AS grade,
    v.recording_quality_reason AS "gradeReason", r.score, r.measurements, i.reasons, i.note, i.priority, i.created_at AS "createdAt",
    i.due_at AS "dueAt", i.decided_at IS NULL AND i.due_at < now() AS "isOverdue",
    ${nameOf('assignee')} AS "assignedTo", CASE WHEN ${TAKEN} THEN ${nameOf('taker')} END AS "takenBy",
    CASE WHEN ${TAKEN} THEN i.taken_until END AS "takenUntil",
    CASE WHEN ${SNOOZED} THEN i.snoozed_until END AS "snoozedUntil", i.snooze_note AS "snoozeNote",
    i.decided_at AS "decidedAt", i.decided_by AS "decidedBy", i.decision, i.decided_grade AS "decidedGrade"
  FROM review_item i JOIN voice v ON v.id = i.voice_id LEFT JOIN account a ON a.id = v.account_id
  LEFT JOIN staff_auth.member assignee ON assignee.id = i.assigned_to
  LEFT JOIN staff_auth.member taker ON taker.id = i.taken_by
  LEFT JOIN LATERAL (SELECT score, measurements FROM review WHERE voice_id = v.id ORDER BY generation DESC LIMIT 1) r ON true`;

/** Closes the open item of a voice, if it has one, in the transaction of the decision. */
export async function closeReviewItem(
  voiceId: string,
  decided: { by: string; decision: DeskDecision; grade: RecordingGrade },
  em: EntityManager,
): Promise<void> {
  await em.query(
    `UPDATE review_item SET decided_at = now(), decided_by = $2, decision = $3, decided_grade = $4, snoozed_until = NULL
     WHERE voice_id = $1 AND decided_at IS NULL`,
    [voiceId, decided.by, decided.decision, decided.grade],
  );
}

/** The review desk: voices that wait for a person, each taken by one at a time. */
@Injectable()
export class ReviewItemRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Puts a voice on the desk, in the transaction that found why. An open item of the voice gets these reasons besides its
   * own, and the earlier of both targets.
   */
  async open(
    voiceId: string,
    reasons: readonly DeskReason[],
    em: EntityManager,
    note: string | null = null,
  ): Promise<string> {
    const [account] = await em.query<{ tier: Tier | null }[]>(
      'SELECT a.tier FROM voice v LEFT JOIN account a ON a.id = v.account_id WHERE v.id = $1',
      [voiceId],
    );
    const { targetHours, priority } = deskUrgency(reasons, account?.tier ?? 'creator');
    const [item] = await em.query<{ id: string }[]>(
      `INSERT INTO review_item AS i (id, voice_id, reasons, note, priority, due_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
       ON CONFLICT (voice_id) WHERE decided_at IS NULL DO UPDATE SET
         reasons = (SELECT array_agg(DISTINCT reason) FROM unnest(i.reasons || excluded.reasons) reason),
         note = coalesce(excluded.note, i.note), priority = greatest(i.priority, excluded.priority),
         due_at = least(i.due_at, excluded.due_at), snoozed_until = NULL
       RETURNING id`,
      [randomUUID(), voiceId, reasons, note, priority, targetHours * 3_600],
    );
    return item!.id;
  }

  /**
   * What a new verdict means for the desk, in its transaction: nobody has taken it yet, and without a reason for a person it
   * no longer waits, unless a person or the customer has sent it there.
   */
  async renew(voiceId: string, reasons: readonly DeskReason[], em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE review_item SET taken_by = NULL, taken_until = NULL,
         reasons = ARRAY(SELECT reason FROM unnest(reasons) reason WHERE reason IN ('complaint', 'appeal'))
       WHERE voice_id = $1 AND decided_at IS NULL`,
      [voiceId],
    );
    if (reasons.length > 0) await this.open(voiceId, reasons, em);
    await em.query(
      `UPDATE review_item SET decided_at = now(), decided_by = 'new verdict', decision = 'superseded'
       WHERE voice_id = $1 AND decided_at IS NULL AND reasons = '{}'`,
      [voiceId],
    );
  }

  /**
   * Takes the next item that nobody else has, one statement: two who ask at the same time get two items. What they hold
   * already comes first, then what is assigned to them, then by priority and target.
   *
   * @returns the id of the item; null when none waits
   */
  async takeNext(
    staffId: string,
    { reason, accountId }: Pick<DeskFilter, 'reason' | 'accountId'>,
    em: EntityManager = this.dataSource.manager,
  ): Promise<string | null> {
    const where = new Conditions([staffId, TAKEN_SECS]);
    where.add(`i.decided_at IS NULL AND NOT ${SNOOZED} AND (NOT ${TAKEN} OR i.taken_by = $1)`);
    where.add('(i.assigned_to IS NULL OR i.assigned_to = $1)');
    where.ifGiven(reason, (value) => `${value} = ANY (i.reasons)`);
    where.ifGiven(accountId, (value) => `v.account_id = ${value}`);
    const [rows] = await em.query<[{ id: string }[], number]>(
      `UPDATE review_item SET taken_by = $1, taken_until = now() + make_interval(secs => $2)
       WHERE id = (
         SELECT i.id FROM review_item i JOIN voice v ON v.id = i.voice_id WHERE ${where.sql}
           AND v.review_state IN ('completed', 'rejected', 'overridden')
         ORDER BY i.taken_by IS NOT DISTINCT FROM $1 AND ${TAKEN} DESC, i.assigned_to IS NOT DISTINCT FROM $1 DESC,
           i.priority DESC, i.due_at, i.id
         LIMIT 1 FOR UPDATE OF i SKIP LOCKED)
       RETURNING id`,
      where.values,
    );
    return rows[0]?.id ?? null;
  }

  /**
   * Takes this item, or keeps it for as long again.
   *
   * @param takeOver also from a member of staff who still has it
   * @returns false when another member of staff has it
   */
  async take(id: string, staffId: string, takeOver: boolean, em: EntityManager): Promise<boolean> {
    const [, taken] = await em.query<[unknown[], number]>(
      `UPDATE review_item i SET taken_by = $2, taken_until = now() + make_interval(secs => $3), snoozed_until = NULL
       WHERE i.id = $1 AND i.decided_at IS NULL AND ($4 OR NOT ${TAKEN} OR i.taken_by = $2)`,
      [id, staffId, TAKEN_SECS, takeOver],
    );
    return taken === 1;
  }

  /** Gives an item back, if this member of staff has it. */
  async release(id: string, staffId: string): Promise<void> {
    await this.dataSource.query(
      'UPDATE review_item SET taken_by = NULL, taken_until = NULL WHERE id = $1 AND taken_by = $2',
      [id, staffId],
    );
  }

  /** Hides an item until a time, and gives it back. */
  async snooze(id: string, minutes: number, note: string, em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE review_item SET snoozed_until = now() + make_interval(mins => $2), snooze_note = $3, taken_by = NULL,
         taken_until = NULL WHERE id = $1`,
      [id, minutes, note],
    );
  }

  async assign(id: string, staffId: string | null, em: EntityManager): Promise<void> {
    await em.query('UPDATE review_item SET assigned_to = $2 WHERE id = $1', [id, staffId]);
  }

  /** An item, open or decided, or null. */
  async find(id: string, em: EntityManager = this.dataSource.manager): Promise<DeskItem | null> {
    const [item] = await em.query<DeskItem[]>(`${ITEMS} WHERE i.id = $1`, [id]);
    return item ?? null;
  }

  /** Locks an item until the transaction ends; returns who took it last. Null when it does not exist. */
  async lock(
    id: string,
    em: EntityManager,
  ): Promise<{ voiceId: string; takenBy: string | null; isDecided: boolean } | null> {
    const [item] = await em.query<{ voiceId: string; takenBy: string | null; isDecided: boolean }[]>(
      `SELECT voice_id AS "voiceId", taken_by AS "takenBy", decided_at IS NOT NULL AS "isDecided"
       FROM review_item WHERE id = $1 FOR UPDATE`,
      [id],
    );
    return item ?? null;
  }

  /** One page of the desk, in the order in which items are taken; decided ones from the newest. */
  async list(
    filter: DeskFilter,
    { limit, after }: { limit: number; after: DeskPosition | null },
    em: EntityManager = this.dataSource.manager,
  ): Promise<(DeskItem & DeskPosition)[]> {
    const where = conditionsOf(filter);
    const { rank, at, direction } = filter.state === 'decided' ? NEWEST_DECISION : QUEUE;
    if (after) {
      const place = `(${where.value(after.rank)}::int, ${where.value(after.at)}::timestamptz, ${where.value(after.id)}::uuid)`;
      where.add(`(${rank}, ${at}, i.id) ${direction === 'ASC' ? '>' : '<'} ${place}`);
    }
    return em.query<(DeskItem & DeskPosition)[]>(
      `SELECT item.*, (${rank}) AS rank, (${at})::text AS at FROM (${ITEMS}) item JOIN review_item i ON i.id = item.id
       JOIN voice v ON v.id = i.voice_id WHERE ${where.sql}
       ORDER BY ${rank} ${direction}, ${at} ${direction}, i.id ${direction} LIMIT ${where.value(limit)}`,
      where.values,
    );
  }

  async count(filter: DeskFilter, em: EntityManager = this.dataSource.manager): Promise<number> {
    const where = conditionsOf(filter);
    const [row] = await em.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM review_item i JOIN voice v ON v.id = i.voice_id WHERE ${where.sql}`,
      where.values,
    );
    return row!.total;
  }

  async summarise(): Promise<DeskSummary> {
    const em = this.dataSource.manager;
    const [[counts], reasons] = await Promise.all([
      em.query<Omit<DeskSummary, 'reasons'>[]>(
        `SELECT count(*) FILTER (WHERE NOT ${SNOOZED})::int AS waiting,
           count(*) FILTER (WHERE NOT ${SNOOZED} AND i.due_at < now())::int AS overdue,
           count(*) FILTER (WHERE ${SNOOZED})::int AS snoozed
         FROM review_item i WHERE i.decided_at IS NULL`,
      ),
      em.query<DeskSummary['reasons']>(
        `SELECT reason, count(*)::int AS items FROM review_item i, unnest(i.reasons) reason
         WHERE i.decided_at IS NULL AND NOT ${SNOOZED} GROUP BY reason ORDER BY 2 DESC, 1`,
      ),
    ]);
    return { ...counts!, reasons };
  }

  /** Notes that a member of staff looks at an item, or only at the desk; returns everybody who is there. */
  async visit(staffId: string, itemId: string | null): Promise<(StaffName & { itemId: string | null })[]> {
    await this.dataSource.query(
      `INSERT INTO review_desk_visitor (staff_id, item_id) VALUES ($1, $2)
       ON CONFLICT (staff_id) DO UPDATE SET item_id = excluded.item_id, seen_at = now()`,
      [staffId, itemId],
    );
    return this.dataSource.query(
      `SELECT m.id, m.name, d.item_id AS "itemId" FROM review_desk_visitor d JOIN staff_auth.member m ON m.id = d.staff_id
       WHERE d.seen_at > now() - make_interval(secs => $1) ORDER BY m.name, m.id`,
      [PRESENT_SECS],
    );
  }

  /** Members of staff with one of these roles who may sign in. */
  async listPeople(roles: readonly string[]): Promise<StaffName[]> {
    return this.dataSource.query<StaffName[]>(
      'SELECT id, name FROM staff_auth.member WHERE role = ANY ($1) AND disabled_at IS NULL ORDER BY name, id',
      [roles],
    );
  }
}

function conditionsOf({ state, reason, accountId, overdue, staffId }: DeskFilter): Conditions {
  const where = new Conditions();
  where.add(STATE_CONDITIONS[state](state === 'mine' ? where.value(staffId) : ''));
  where.ifGiven(reason, (value) => `${value} = ANY (i.reasons)`);
  where.ifGiven(accountId, (value) => `v.account_id = ${value}`);
  if (overdue) where.add('i.due_at < now()');
  return where;
}
