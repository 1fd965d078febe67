import { deskUrgency, LASTING_REASONS, type DeskReason } from '@app/domain/reviews/desk-reasons';
import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import type { RecordingGrade, ReviewState } from '@app/domain/reviews/review-state';
import type { Tier } from '@app/domain/accounts/tiers';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../common/conditions';
import { VERDICT_SQL } from '../common/review-state-sql';

/**
 * What a person decided about an item: the grade stayed, they gave another one, or they gave one without seeing it; or no one had to
 * listen any more.
 */
export type DeskDecision = 'confirmed' | 'overridden' | 'seconded' | 'superseded';

/** The verdict on a voice before a decision. */
export interface ReplacedVerdict {
  generation: number;
  state: ReviewState;
}

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
  /** The listening that a second person repeats without seeing any grade; null for any other item. */
  firstListening: string | null;
  firstListener: string | null;
  note: string | null;
  /** What the customer says against the grade. */
  appeal: { text: string; grade: RecordingGrade; madeBy: string; answer: string | null } | null;
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

/** An item that was decided at the desk. */
export interface DecidedItem {
  id: string;
  voiceId: string;
  decision: DeskDecision;
  grade: RecordingGrade;
  replaced: ReplacedVerdict;
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
/** Its rank is an expression: a bare 0 after ORDER BY would be the number of a column. */
const NEWEST_DECISION = { rank: '0::int', at: 'i.decided_at', direction: 'DESC' };

const TAKEN = '(i.taken_by IS NOT NULL AND i.taken_until > now())';
const SNOOZED = '(i.snoozed_until IS NOT NULL AND i.snoozed_until > now())';

/** Who has graded a voice is not its second listener. */
const isFor = (staff: string) => `i.first_listener IS DISTINCT FROM ${staff}`;

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
    v.recording_quality_reason AS "gradeReason", r.score, r.measurements, i.reasons, i.note, p.appeal,
    i.first_listening AS "firstListening", i.first_listener AS "firstListener", i.priority, i.created_at AS "createdAt",
    i.due_at AS "dueAt", i.decided_at IS NULL AND i.due_at < now() AS "isOverdue",
    ${nameOf('assignee')} AS "assignedTo", CASE WHEN ${TAKEN} THEN ${nameOf('taker')} END AS "takenBy",
    CASE WHEN ${TAKEN} THEN i.taken_until END AS "takenUntil",
    CASE WHEN ${SNOOZED} THEN i.snoozed_until END AS "snoozedUntil", i.snooze_note AS "snoozeNote",
    i.decided_at AS "decidedAt", i.decided_by AS "decidedBy", i.decision, i.decided_grade AS "decidedGrade"
  FROM review_item i JOIN voice v ON v.id = i.voice_id LEFT JOIN account a ON a.id = v.account_id
  LEFT JOIN staff_auth.member assignee ON assignee.id = i.assigned_to
  LEFT JOIN staff_auth.member taker ON taker.id = i.taken_by
  LEFT JOIN LATERAL (SELECT score, measurements FROM review WHERE voice_id = v.id ORDER BY generation DESC LIMIT 1) r ON true
  LEFT JOIN LATERAL (
    SELECT json_build_object('text', text, 'grade', grade, 'madeBy', made_by, 'answer', answer) AS appeal
    FROM review_appeal WHERE item_id = i.id ORDER BY generation DESC LIMIT 1) p ON true`;

/** Closes the open item of a voice, if it has one, in the transaction of the decision. */
export async function closeReviewItem(
  voiceId: string,
  decided: { by: string; decision: DeskDecision; grade: RecordingGrade },
  em: EntityManager,
): Promise<void> {
  await em.query(
    `UPDATE review_item SET decided_at = now(), decided_by = $2, decision = $3, decided_grade = $4, snoozed_until = NULL
     WHERE voice_id = $1 AND decided_at IS NULL AND first_listening IS NULL`,
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
    const { targetHours, priority } = await this.urgencyOf(voiceId, reasons, em);
    const [item] = await em.query<{ id: string }[]>(
      `INSERT INTO review_item AS i (id, voice_id, reasons, note, priority, due_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
       ON CONFLICT (voice_id) WHERE decided_at IS NULL AND first_listening IS NULL DO UPDATE SET
         reasons = (SELECT array_agg(DISTINCT reason) FROM unnest(i.reasons || excluded.reasons) reason),
         note = coalesce(excluded.note, i.note), priority = greatest(i.priority, excluded.priority),
         due_at = least(i.due_at, excluded.due_at), snoozed_until = NULL
       RETURNING id`,
      [randomUUID(), voiceId, reasons, note, priority, targetHours * 3_600],
    );
    return item!.id;
  }

  /**
   * Puts a voice on the desk for a second person, who sees no grade. No change when one waits already.
   *
   * @param first the listening that they repeat, and whose it was
   */
  async openBlind(
    voiceId: string,
    first: { listeningId: string; staffId: string },
    em: EntityManager,
  ): Promise<void> {
    const reasons: DeskReason[] = ['second_listening'];
    const { targetHours, priority } = await this.urgencyOf(voiceId, reasons, em);
    await em.query(
      `INSERT INTO review_item (id, voice_id, reasons, priority, due_at, first_listening, first_listener)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), $6, $7)
       ON CONFLICT (voice_id) WHERE decided_at IS NULL AND first_listening IS NOT NULL DO NOTHING`,
      [randomUUID(), voiceId, reasons, priority, targetHours * 3_600, first.listeningId, first.staffId],
    );
  }

  private async urgencyOf(voiceId: string, reasons: readonly DeskReason[], em: EntityManager) {
    const [account] = await em.query<{ tier: Tier | null }[]>(
      'SELECT a.tier FROM voice v LEFT JOIN account a ON a.id = v.account_id WHERE v.id = $1',
      [voiceId],
    );
    return deskUrgency(reasons, account?.tier ?? 'creator');
  }

  /**
   * What a new verdict means for the desk, in its transaction: no person has taken it yet, and without a reason for a person it
   * no longer waits, unless a person or the customer has sent it there. A second listening ends when the recording is another.
   */
  async renew(voiceId: string, reasons: readonly DeskReason[], em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE review_item SET taken_by = NULL, taken_until = NULL,
         reasons = ARRAY(SELECT reason FROM unnest(reasons) reason WHERE reason = ANY ($2))
       WHERE voice_id = $1 AND decided_at IS NULL AND first_listening IS NULL`,
      [voiceId, LASTING_REASONS],
    );
    if (reasons.length > 0) await this.open(voiceId, reasons, em);
    await em.query(
      `UPDATE review_item SET decided_at = now(), decided_by = 'new verdict', decision = 'superseded'
       WHERE voice_id = $1 AND decided_at IS NULL AND (reasons = '{}' OR EXISTS (
         SELECT FROM listening l WHERE l.id = first_listening AND l.audio_digest <> (
           SELECT audio_digest FROM review WHERE voice_id = $1 ORDER BY generation DESC LIMIT 1)))`,
      [voiceId],
    );
  }

  /**
   * Takes the next item that no other person has, one statement: two who ask at the same time get two items. What they hold
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
    where.add('(i.assigned_to IS NULL OR i.assigned_to = $1) AND i.first_listener IS DISTINCT FROM $1');
    where.ifPresent(reason, (value) => `${value} = ANY (i.reasons)`);
    where.ifPresent(accountId, (value) => `v.account_id = ${value}`);
    const [rows] = await em.query<[{ id: string }[], number]>(
      `UPDATE review_item SET taken_by = $1, taken_until = now() + make_interval(secs => $2)
       WHERE id = (
         SELECT i.id FROM review_item i JOIN voice v ON v.id = i.voice_id WHERE ${where.sql}
           AND v.review_state IN ${VERDICT_SQL}
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

  /** Closes an item of a second listening with its grade. */
  async markSeconded(
    id: string,
    { by, grade }: { by: string; grade: RecordingGrade },
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `UPDATE review_item SET decided_at = now(), decided_by = $2, decision = 'seconded', decided_grade = $3,
         snoozed_until = NULL WHERE id = $1`,
      [id, by, grade],
    );
  }

  /** Notes what a decision replaces, in its transaction, so that it can be undone together with those of its batch. */
  async noteReplaced(
    id: string,
    batch: { id: string; staffId: string },
    replaced: ReplacedVerdict,
    em: EntityManager,
  ): Promise<void> {
    await em.query('UPDATE review_item SET batch_id = $2, batch_by = $3, replaced = $4 WHERE id = $1', [
      id,
      batch.id,
      batch.staffId,
      JSON.stringify(replaced),
    ]);
  }

  /** The last decisions of this member of staff, together, within so many minutes. */
  async listLastDecided(staffId: string, minutes: number, em: EntityManager): Promise<DecidedItem[]> {
    return em.query<DecidedItem[]>(
      `SELECT i.id, i.voice_id AS "voiceId", i.decision, i.decided_grade AS grade, i.replaced FROM review_item i
       WHERE i.batch_id = (
         SELECT batch_id FROM review_item WHERE batch_by = $1 AND batch_id IS NOT NULL
           AND decided_at > now() - make_interval(mins => $2)
         ORDER BY decided_at DESC LIMIT 1)
       ORDER BY i.voice_id`,
      [staffId, minutes],
    );
  }

  /**
   * Opens a decided item again, for who had decided it, and removes the listening of that decision with what it led to.
   *
   * @returns why it cannot be: `waiting`, when the voice waits for another reason; `seconded`, when a second person has
   *   listened already; null when it is open
   */
  async reopen(id: string, staffId: string, em: EntityManager): Promise<'waiting' | 'seconded' | null> {
    const [state] = await em.query<{ waiting: boolean; seconded: boolean }[]>(
      `SELECT EXISTS (SELECT FROM review_item o WHERE o.voice_id = i.voice_id AND o.decided_at IS NULL
           AND (o.first_listening IS NULL) = (i.first_listening IS NULL)) AS waiting,
         EXISTS (SELECT FROM listening l JOIN listening s ON s.first_id = l.id
           WHERE l.voice_id = i.voice_id AND l.listened_at = i.decided_at) AS seconded
       FROM review_item i WHERE i.id = $1`,
      [id],
    );
    if (state!.seconded) return 'seconded';
    if (state!.waiting) return 'waiting';
    await em.query(
      `WITH own AS (
         DELETE FROM listening l USING review_item i
         WHERE i.id = $1 AND l.voice_id = i.voice_id AND l.listened_at = i.decided_at RETURNING l.id)
       DELETE FROM review_item WHERE first_listening IN (SELECT id FROM own) AND decided_at IS NULL`,
      [id],
    );
    await em.query(
      `UPDATE review_item SET decided_at = NULL, decided_by = NULL, decision = NULL, decided_grade = NULL, batch_id = NULL,
         batch_by = NULL, replaced = NULL, taken_by = $2, taken_until = now() + make_interval(secs => $3) WHERE id = $1`,
      [id, staffId, TAKEN_SECS],
    );
    return null;
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

  /** What waits for a member of staff, as `list` has it. */
  async summarise(staffId: string): Promise<DeskSummary> {
    const em = this.dataSource.manager;
    const [[counts], reasons] = await Promise.all([
      em.query<Omit<DeskSummary, 'reasons'>[]>(
        `SELECT count(*) FILTER (WHERE NOT ${SNOOZED})::int AS waiting,
           count(*) FILTER (WHERE NOT ${SNOOZED} AND i.due_at < now())::int AS overdue,
           count(*) FILTER (WHERE ${SNOOZED})::int AS snoozed
         FROM review_item i WHERE i.decided_at IS NULL AND ${isFor('$1')}`,
        [staffId],
      ),
      em.query<DeskSummary['reasons']>(
        `SELECT reason, count(*)::int AS items FROM review_item i, unnest(i.reasons) reason
         WHERE i.decided_at IS NULL AND NOT ${SNOOZED} AND ${isFor('$1')} GROUP BY reason ORDER BY 2 DESC, 1`,
        [staffId],
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
  where.ifPresent(reason, (value) => `${value} = ANY (i.reasons)`);
  where.ifPresent(accountId, (value) => `v.account_id = ${value}`);
  if (state !== 'decided') where.add(isFor(where.value(staffId)));
  if (overdue) where.add('i.due_at < now()');
  return where;
}
