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

/** Runs something while nothing else can read a table. */
export async function whileLocked<T>(ownerUrl: string, table: string, run: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return await run();
  } finally {
    await client.end();
  }
}
