import { Client } from 'pg';

/** Runs a query as the role of a URL, on a connection of its own. */
export async function queryAs<T>(url: string, sql: string, values?: unknown[]): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as T[];
  } finally {
    await client.end();
  }
}
