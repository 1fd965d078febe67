import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { TEMPLATE_DATABASE, testServerUrl } from './test-server';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database of one's own with the newest schema: a clone of the migrated template, 0.1 s. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE}`);
  return {
    url: testServerUrl(name),
    drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: testServerUrl('postgres') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
