import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import type { AlertChannel } from '@app/domain/alerts/alert-rule';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

/** What a rule has noticed, before it is known whether someone was notified already. */
export interface Noticed {
  ruleId: string;
  accountId: string | null;
  keyId: string | null;
  /** What is sent once in a period. */
  subject: string;
  period: string;
  data: Record<string, unknown>;
}

/** What is noticed for the first time, with what its rule says of it. */
export interface RaisedAlert extends Noticed {
  id: string;
  kind: AlertKind;
  threshold: number | null;
  channels: AlertChannel[];
}

@Injectable()
export class AlertRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores what was not noticed before for its subject and period; returns that. */
  async insertNew(noticed: Noticed[], em: EntityManager): Promise<RaisedAlert[]> {
    return em.query<RaisedAlert[]>(
      `WITH noticed AS (
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[])
           AS n (rule_id, account_id, key_id, subject, period, data)
       ), added AS (
         INSERT INTO alert (rule_id, kind, threshold, account_id, key_id, subject, period, data)
         SELECT n.rule_id, r.kind, r.threshold, n.account_id, n.key_id, n.subject, n.period, n.data
         FROM noticed n JOIN alert_rule r ON r.id = n.rule_id
         ORDER BY n.rule_id, n.subject, n.period
         ON CONFLICT DO NOTHING RETURNING *
       )
       SELECT a.id, a.rule_id AS "ruleId", a.kind, a.threshold, a.account_id AS "accountId", a.key_id AS "keyId", a.subject, a.period,
         a.data, r.channels
       FROM added a JOIN alert_rule r ON r.id = a.rule_id ORDER BY a.id`,
      [
        noticed.map(({ ruleId }) => ruleId),
        noticed.map(({ accountId }) => accountId),
        noticed.map(({ keyId }) => keyId),
        noticed.map(({ subject }) => subject),
        noticed.map(({ period }) => period),
        noticed.map(({ data }) => JSON.stringify(data)),
      ],
    );
  }

  /** Deletes up to `limit` alerts that are older than `days`; how many. */
  async deleteOld(days: number, limit: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM alert WHERE id IN (SELECT id FROM alert WHERE at < now() - make_interval(days => $1) LIMIT $2)`,
      [days, limit],
    );
    return deleted;
  }
}
