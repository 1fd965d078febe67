import type { AlertKind } from '@app/domain/alerts/alert-kinds';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AlertRule } from './alert-rule.entity';

export type NewAlertRule = Omit<AlertRule, 'version' | 'createdAt' | 'updatedAt'>;

/** What a change may set. */
export type AlertRulePatch = Partial<Pick<AlertRule, 'threshold' | 'channels' | 'enabled'>>;

/** A rule with the name of its key, if it is for one, and what it has noticed in the last 30 days, of how many accounts. */
export type NamedAlertRule = AlertRule & { keyName: string | null; alerts: number; accounts: number };

const LATELY = `FROM alert l WHERE l.rule_id = r.id AND l.at > now() - interval '30 days'`;

/** What rules of a kind may hold for. */
interface RuleSubject {
  kind: AlertKind;
  accountId: string | null;
  keyId?: string | null;
}

interface HoldingRule {
  index: number;
  id: string;
  threshold: number | null;
}

/** SQLSTATE of a row that is there already. */
export const DUPLICATE = '23505';

@Injectable()
export class AlertRuleRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insert(rule: NewAlertRule, em: EntityManager): Promise<void> {
    await em.insert(AlertRule, rule);
  }

  /** The rules of an account and its keys, or with null those of the installation and its tiers, by kind. */
  async list(
    accountId: string | null,
    em: EntityManager = this.dataSource.manager,
  ): Promise<NamedAlertRule[]> {
    const { entities, raw } = await em
      .createQueryBuilder(AlertRule, 'r')
      .leftJoin('api_key', 'k', 'k.id = r.key_id')
      .addSelect('k.name', 'key_name')
      .addSelect(`(SELECT count(*)::int ${LATELY})`, 'alerts')
      .addSelect(`(SELECT count(DISTINCT l.account_id)::int ${LATELY})`, 'accounts')
      .where(accountId === null ? 'r.account_id IS NULL' : 'r.account_id = :accountId', { accountId })
      .orderBy('r.kind')
      .addOrderBy('r.scope')
      .addOrderBy('r.tier')
      .addOrderBy('k.name')
      .addOrderBy('r.threshold', 'DESC')
      .addOrderBy('r.id')
      .getRawAndEntities<{ key_name: string | null; alerts: number; accounts: number }>();
    return entities.map((rule, index) => {
      const { key_name: keyName, alerts, accounts } = raw[index]!;
      return { ...rule, keyName, alerts, accounts };
    });
  }

  /** A rule of this account, or with null one of the installation; null for others, and for texts that are not ids. */
  async lockOwned(id: string, accountId: string | null, em: EntityManager): Promise<AlertRule | null> {
    if (!isUuid(id)) return null;
    const rule = await em.findOne(AlertRule, { where: { id }, lock: { mode: 'pessimistic_write' } });
    return rule && rule.accountId === accountId ? rule : null;
  }

  /** Changes a rule and counts the change. */
  async update(id: string, patch: AlertRulePatch, em: EntityManager): Promise<void> {
    await em
      .createQueryBuilder()
      .update(AlertRule)
      .set({ ...patch, version: () => 'version + 1', updatedAt: () => 'now()' })
      .where('id = :id', { id })
      .execute();
  }

  async delete(id: string, em: EntityManager): Promise<void> {
    await em.delete(AlertRule, { id });
  }

  async count(accountId: string | null, em: EntityManager): Promise<number> {
    const [row] = await em.query<{ total: number }[]>(
      'SELECT count(*)::int AS total FROM alert_rule WHERE account_id IS NOT DISTINCT FROM $1',
      [accountId],
    );
    return row!.total;
  }

  /** The rules that are on and hold for each subject: a key, an account, or with neither the installation. `index` is that of the subject. */
  async listHolding(subjects: RuleSubject[], em: EntityManager): Promise<HoldingRule[]> {
    return em.query<HoldingRule[]>(
      `SELECT (s.number - 1)::int AS index, r.id, r.threshold
       FROM unnest($1::text[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS s (kind, account_id, key_id, number)
       LEFT JOIN account a ON a.id = s.account_id
       CROSS JOIN LATERAL alert_rules_of(s.kind, a.tier, s.account_id, s.key_id) r ORDER BY s.number, r.threshold`,
      [
        subjects.map(({ kind }) => kind),
        subjects.map(({ accountId }) => accountId),
        subjects.map(({ keyId }) => keyId ?? null),
      ],
    );
  }
}
