import type { EntityManager } from 'typeorm';

/** Waits for other transactions that lock this text, and keeps them waiting until this one ends. */
export async function lockText(text: string, em: EntityManager): Promise<void> {
  await em.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [text]);
}
