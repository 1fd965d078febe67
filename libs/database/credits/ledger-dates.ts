import { Client } from 'pg';

/**
 * Lets the charges of a demo be as of different days: each a day older than the one before, the first as of today. What was
 * charged, and in which period, stays.
 *
 * @param ownerUrl of the schema's owner, who alone may change a line of the ledger
 * @param requestIds of the charges
 */
export async function spreadOverDays(ownerUrl: string, requestIds: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(
      `UPDATE ledger_line SET created_at = created_at - make_interval(days => place::int - 1)
       FROM unnest($1::text[]) WITH ORDINALITY AS charge (request_id, place)
       WHERE request = ledger_request(request_id, ledger_request_form(request_id))`,
      [requestIds],
    );
  } finally {
    await client.end();
  }
}
