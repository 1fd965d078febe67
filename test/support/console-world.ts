import { TrafficRecorder } from '../../apps/api/src/observed-traffic/traffic-recorder';
import type { Stack, IssuedKey } from './stack';
import { StaffClient } from './staff-client';

export const OFFICE = '203.0.113.10';
export const AGENCY = '198.51.100.7';

/** A customer who uses a key: enough to see on every screen. */
export interface World extends IssuedKey {
  manager: StaffClient;
}

/** An entitled account with a key that was used from two addresses, refused, and limited to a list. */
export async function furnish(stack: Stack, { name = 'Production, text to voice' } = {}): Promise<World> {
  const manager = await StaffClient.signedIn(stack, 'account_manager');
  const key = await stack.issueKey({ tier: 'enterprise', name, creditLimit: 50_000 });
  const account = `/admin/accounts/${key.accountId}`;
  const any = { 'if-match': '*' };
  await manager.patch(account, { name: 'Northwind Audio', reason: 'The customer has another name' }, any);
  await manager.send(
    'PUT',
    `${account}/ip-allow-list-entitlement`,
    { enabled: true, reason: 'Ticket 4711' },
    any,
  );
  await callFrom(stack, key, OFFICE, 5);
  await callFrom(stack, key, AGENCY, 3);
  await flushTraffic(stack);
  return { ...key, manager };
}

/** Requests of the customer's, from an address; the response to the last one. */
export async function callFrom(
  stack: Stack,
  { secret }: { secret: string },
  address: string,
  times = 1,
): Promise<number> {
  let status = 0;
  for (let call = 0; call < times; call++) {
    const headers = { 'x-forwarded-for': address };
    ({ status } = await stack.requestUntilServed('GET', '/v1/models', { secret, headers }));
  }
  return status;
}

/** Stores what has been recorded so far. */
export async function flushTraffic(stack: Stack): Promise<void> {
  await stack.api.get(TrafficRecorder).flush();
}
