import { actionTitle } from '@app/domain/audit/action-title';
import type { AuditAction } from '@app/domain/audit/audit-actions';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** What a job is about. */
export type JobSubjectKind = 'voice' | 'delivery' | 'message';

/** It by its name, and how it stands. */
export interface JobSubject {
  id: string;
  name: string;
  accountId: string | null;
  accountName: string | null;
  state: string;
  createdAt: Date;
  /** When it is tried next; null when it is not, or that is not stored. */
  nextAt: Date | null;
  /** The endpoint of a delivery. */
  endpointId: string | null;
}

/** Something that happened to it: a step of its work, or what staff did that it waited for. */
export interface JobStep {
  at: Date;
  /** In words. */
  what: string;
  by: string | null;
  cause: string | null;
}

const SUBJECTS: Record<JobSubjectKind, string> = {
  voice: `SELECT v.id, v.name, v.account_id, v.review_state AS state, v.created_at, NULL::timestamptz AS next_at,
      NULL::uuid AS endpoint_id FROM voice v WHERE v.id = ANY ($1::text[])`,
  delivery: `SELECT d.id::text, d.event_type || ' to ' || e.name AS name, e.account_id, d.state, d.created_at,
      CASE WHEN d.state = 'pending' THEN d.due_at END AS next_at, e.id AS endpoint_id
    FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint_id WHERE d.id = ANY ($1::bigint[])`,
  message: `SELECT m.id::text, array_to_string(m.kinds, ', ') || ' to ' || m.recipient AS name, m.account_id, m.state,
      m.created_at, CASE WHEN m.state = 'pending' THEN m.due_at END AS next_at, NULL::uuid AS endpoint_id
    FROM alert_message m WHERE m.id = ANY ($1::bigint[])`,
};

const STEPS: Record<JobSubjectKind, string> = {
  voice: `SELECT at, 'review ' || generation || ': ' || replace(to_state, '_', ' ') AS what, actor AS by, cause
    FROM review_event WHERE voice_id = $1`,
  delivery: `SELECT at, CASE WHEN error IS NULL THEN 'delivered' ELSE 'attempt failed' END AS what, NULL AS by,
      concat(coalesce(error, 'responded ' || status), ' after ', ms, ' ms') AS cause
    FROM webhook_attempt WHERE delivery_id = $1::text::bigint
    UNION ALL SELECT created_at, 'created', NULL, NULL FROM webhook_delivery WHERE id = $1::text::bigint`,
  // Of its attempts, only the last one is stored.
  message: `SELECT s.at, s.what, NULL AS by, s.cause FROM alert_message m,
      LATERAL (VALUES (m.created_at, 'created', NULL), (m.begun_at, 'first attempt', NULL), (m.delivered_at, 'delivered', NULL),
        (CASE WHEN m.last_error IS NOT NULL THEN coalesce(m.begun_at, m.created_at) END, 'failed, attempts: ' || m.attempts,
          m.last_error)) s (at, what, cause)
    WHERE m.id = $1::text::bigint AND s.at IS NOT NULL`,
};

/** What staff do to queues, to accounts that wait in them, and to what was sent: actions of the audit log. */
const ACTIONS = [
  'queue.paused',
  'queue.resumed',
  'account.reviews_held',
  'account.reviews_moved_behind',
  'account.reviews_released',
  'webhook.delivery_replayed',
  'webhook.deliveries_replayed',
] satisfies AuditAction[];
const TITLES = Object.fromEntries(ACTIONS.map((action) => [action, actionTitle(action)]));

const MAX_STEPS = 200;

/** Jobs by what they are about: all of it stored here, so it outlives the queue and is the same on every backend. */
@Injectable()
export class JobHistoryRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The subjects with these ids; those that are gone are left out. */
  async listSubjects(kind: JobSubjectKind, ids: string[]): Promise<JobSubject[]> {
    return this.dataSource.query(
      `SELECT s.id, s.name, s.account_id AS "accountId", a.name AS "accountName", s.state, s.created_at AS "createdAt",
         s.next_at AS "nextAt", s.endpoint_id AS "endpointId"
       FROM (${SUBJECTS[kind]}) s LEFT JOIN account a ON a.id = s.account_id`,
      [ids],
    );
  }

  /** What happened to a subject that waits in this queue, newest first, at most 200 steps. */
  async listSteps(kind: JobSubjectKind, subject: JobSubject, queue: string): Promise<JobStep[]> {
    const { id, accountId, endpointId, createdAt } = subject;
    const targets = [queue, accountId, endpointId].filter((target) => target !== null);
    return this.dataSource.query(
      `SELECT * FROM (${STEPS[kind]}
         UNION ALL
         SELECT at, $3::jsonb->>action, actor_name, reason FROM audit_event
         WHERE target_id = ANY ($2) AND $3::jsonb ? action AND at >= $4 AND coalesce(after->>'delivery_id', $1::text) = $1::text) s
       ORDER BY at DESC LIMIT ${MAX_STEPS}`,
      [id, targets, TITLES, createdAt],
    );
  }
}
