import { randomUUID } from 'node:crypto';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import type { IssuedKey, Stack } from './stack';

const DAY_MS = 86_400_000;

/** The beginning of a day in UTC, 0 for today. */
export function daysAgo(days: number): Date {
  return new Date((Math.floor(Date.now() / DAY_MS) - days) * DAY_MS);
}

/** A charge one second after the beginning of a day; the id of its request, for a refund. */
export async function chargeDaysAgo(
  stack: Stack,
  { keyId, accountId }: IssuedKey,
  {
    cost,
    operation,
    days = 0,
    endUser,
  }: { cost: number; operation: string; days?: number; endUser?: string },
): Promise<string> {
  const requestId = randomUUID();
  const { charged } = await stack.api
    .get(CreditLedger)
    .charge({ keyId, accountId, cost, operation, requestId, endUser });
  expect(charged).toBe(true);
  await stack.asOwner(
    `UPDATE ledger_line SET created_at = $2 WHERE request = ledger_request($1, ledger_request_form($1))`,
    [requestId, new Date(daysAgo(days).getTime() + 1_000)],
  );
  return requestId;
}
