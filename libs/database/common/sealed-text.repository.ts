import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Where texts are stored that only `APP_SECRET` opens. */
const COLUMNS = { webhook_endpoint: 'sealed_secret', contact: 'sealed_url' } as const;

const BATCH_ROWS = 1_000;

@Injectable()
export class SealedTextRepository {
  /**
   * Replaces every sealed text of a table, a thousand at a time, in the transaction of `em`.
   *
   * @param seal the text as it is to be stored, of the id and the text that is there
   * @returns how many there were
   */
  async replaceAll(
    table: keyof typeof COLUMNS,
    em: EntityManager,
    seal: (id: string, text: string) => string,
  ): Promise<number> {
    const column = COLUMNS[table];
    for (let total = 0, after = '00000000-0000-0000-0000-000000000000'; ;) {
      const rows = await em.query<{ id: string; text: string }[]>(
        `SELECT id, ${column} AS text FROM ${table} WHERE id > $1 AND ${column} IS NOT NULL
         ORDER BY id LIMIT ${BATCH_ROWS} FOR UPDATE`,
        [after],
      );
      await em.query(
        `UPDATE ${table} t SET ${column} = n.text FROM unnest($1::uuid[], $2::text[]) n (id, text) WHERE t.id = n.id`,
        [rows.map(({ id }) => id), rows.map(({ id, text }) => seal(id, text))],
      );
      total += rows.length;
      if (rows.length < BATCH_ROWS) return total;
      after = rows.at(-1)!.id;
    }
  }
}
