import type { AlertKindRow } from '@app/domain/alerts/alert-kinds';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';

/**
 * Gives an installation the rules that each kind of alert begins with, once: what staff have changed or deleted since stays so, and a
 * rule that is there already.
 *
 * @param kinds rows of `ALERT_KINDS`
 * @param em in the transaction of the migrations, as the role that owns the schema
 */
export async function addFirstAlertRules(
  kinds: Readonly<Record<string, AlertKindRow>>,
  em: EntityManager,
): Promise<void> {
  const added = await em.query<{ name: string }[]>(
    'INSERT INTO alert_kind SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING name',
    [Object.keys(kinds)],
  );
  for (const { name } of added)
    for (const threshold of kinds[name]!.firstRules ?? [])
      await em.query(
        `INSERT INTO alert_rule (id, scope, kind, threshold, channels) VALUES ($1, 'installation', $2, $3, '{email,chat}')
         ON CONFLICT DO NOTHING`,
        [randomUUID(), name, threshold],
      );
}
