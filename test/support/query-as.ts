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

/** Runs something while nothing else can read a table, or with EXCLUSIVE, write to it. */
export async function whileLocked<T>(
  ownerUrl: string,
  table: string,
  run: () => Promise<T>,
  mode: 'ACCESS EXCLUSIVE' | 'EXCLUSIVE' = 'ACCESS EXCLUSIVE',
): Promise<T> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
    return await run();
  } finally {
    await client.end();
  }
}
