import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As the query of the alerts writes it. */
const PERIOD = `to_char(b.period_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Alerts about credits are raised once for each period and number of usable credits: those of the current period were about what
 * is usable now. The functions of credits left are created afterwards, as all are.
 */
export class CreditsLeft1797300000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      UPDATE alert SET period = period || ' of ' || (data ->> 'credit_limit')
      WHERE kind = 'credits_used' AND data ? 'credit_limit';
      UPDATE alert a SET period = a.period || ' of ' || (b.credit_limit + b.granted)
      FROM credit_balance b
      WHERE a.kind = 'credits_forecast' AND a.subject = b.subject_id::text AND a.period = ${PERIOD} AND b.credit_limit IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DELETE FROM alert a USING alert b
      WHERE a.kind IN ('credits_used', 'credits_forecast') AND a.rule_id = b.rule_id AND a.subject = b.subject AND a.id > b.id
        AND split_part(a.period, ' ', 1) = split_part(b.period, ' ', 1);
      UPDATE alert SET period = split_part(period, ' ', 1) WHERE kind IN ('credits_used', 'credits_forecast');
      DROP FUNCTION credit_share(bigint, bigint, bigint, timestamptz);
      DROP FUNCTION credits_left(bigint, bigint, bigint);
      DROP FUNCTION usable_credits(bigint, bigint);
      DELETE FROM sql_definition WHERE name IN ('credit_share', 'credits_left', 'usable_credits');
    `);
  }
}
