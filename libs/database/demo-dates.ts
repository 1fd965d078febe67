import { Client } from 'pg';

/**
 * Lets the charges of a demo be as of different days, and keys as old as their accounts. What was charged, and in which period,
 * stays.
 *
 * @param ownerUrl of the schema's owner, who alone may change a line of the ledger
 * @param charges and how many days ago each was
 */
export async function spreadOverDays(
  ownerUrl: string,
  charges: readonly { requestId: string; daysAgo: number }[],
  accountIds: readonly string[],
): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(
      `UPDATE ledger_line SET created_at = created_at - make_interval(days => days)
       FROM unnest($1::text[], $2::int[]) AS charge (request_id, days)
       WHERE request = ledger_request(request_id, ledger_request_form(request_id))`,
      [charges.map(({ requestId }) => requestId), charges.map(({ daysAgo }) => daysAgo)],
    );
    for (const asOld of [
      'api_key k SET created_at = a.created_at FROM account a WHERE a.id = k.account_id',
      'api_key_secret s SET created_at = a.created_at FROM api_key k, account a WHERE k.id = s.key_id AND a.id = k.account_id',
    ])
      await client.query(`UPDATE ${asOld} AND a.id = ANY ($1::uuid[])`, [accountIds]);
  } finally {
    await client.end();
  }
}
