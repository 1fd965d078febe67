import { CreditBalances } from '@app/credits/credit-balances';
import { CreditLedger } from '@app/credits/credit-ledger';
import { spreadOverDays } from '@app/database/demo-dates';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import { TIERS } from '@app/domain/accounts/tiers';
import type { INestApplicationContext } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { DemoAccount, DemoKey } from './demo-accounts';
import { AGENCY, OFFICE, type DemoCustomer } from './demo-customers';

const HOUR_MS = 3_600_000;
const DESIGN = 'POST /v1/text-to-voice/design';
const ROUTES = ['GET /v1/models', DESIGN, 'POST /v1/text-to-voice'];
/** Monday to Sunday, of a usual day. */
const WEEK = [1.1, 1.2, 1.15, 1.1, 1.05, 0.7, 0.7];
/** What an average request costs, where one is charged. */
const A_REQUEST = 400;

/** Keys were used each day since their account was opened: from the office, the first customer also from an agency. */
export async function addTraffic(services: INestApplicationContext, customers: readonly DemoCustomer[]) {
  const counts = customers.flatMap(({ account, keys }, place) =>
    keys.flatMap(({ id: keyId, ...key }) =>
      daysOfUse(key, account).flatMap((day) =>
        [OFFICE, ...(place === 0 && day % 2 === 0 ? [AGENCY] : [])].flatMap((address) =>
          ROUTES.map((route, at) => {
            const hour = startOfHour(day);
            const times = { hour, firstAt: hour, lastAt: new Date(hour.getTime() + HOUR_MS / 4) };
            const requests = Math.ceil(onDay(key, day) / A_REQUEST / (at + 2));
            return { ...times, keyId, route, address, outcome: 'served', requests };
          }),
        ),
      ),
    ),
  );
  const traffic = services.get(ObservedTrafficRepository, { strict: false });
  const refused = customers.flatMap(({ keys }) => keys.flatMap(refusedOf));
  await traffic.addCounts([...counts, ...refused.map(({ count }) => count)]);
  const refusals = refused.flatMap((hour) => hour.refusals);
  await traffic.addRefusals(refusals, refusals.length);
  const used = counts.filter(({ hour }) => hour.getTime() === startOfHour(0).getTime());
  const lastUses = new Map(
    used.map(({ keyId, lastAt }) => [keyId, { keyId, secretNumber: 1, at: lastAt, address: OFFICE }]),
  );
  await services.get(ApiKeyRepository, { strict: false }).markUsed([...lastUses.values()]);
}

/** Requests that were refused in an hour of today and of yesterday, one by one and as they are counted. */
function refusedOf({ id: keyId, refused }: DemoCustomer['keys'][number]) {
  if (!refused) return [];
  const { requests, ...why } = refused;
  return [0, 1].map((day) => {
    const hour = startOfHour(day);
    const at = (place: number) => new Date(hour.getTime() + place * 60_000);
    const same = { keyId, route: DESIGN, address: OFFICE };
    const cost = why.gate === 'credits' ? A_REQUEST : null;
    const times = { hour, firstAt: at(0), lastAt: at(requests - 1) };
    return {
      count: { ...same, ...times, outcome: why.gate, requests },
      refusals: Array.from({ length: requests }, (_, place) => {
        const requestId = randomUUID().replaceAll('-', '');
        return { ...same, ...why, at: at(place), cost, requestId };
      }),
    };
  });
}

/** Charges of each day since an account was opened, and what staff have granted. */
export async function useCredits(
  services: INestApplicationContext,
  customers: readonly DemoCustomer[],
  ownerUrl: string,
): Promise<void> {
  const balances = services.get(CreditBalances, { strict: false });
  for (const { accountId, account } of customers)
    if (account.granted) {
      const grant = {
        accountId,
        keyId: null,
        kind: 'grant',
        amount: account.granted,
        actor: 'demo',
      } as const;
      const requestId = `demo ${accountId}`;
      await services.get(DataSource).transaction((em) => balances.adjust({ ...grant, requestId }, em));
    }
  const charges = customers.flatMap(chargesOf);
  const ledger = services.get(CreditLedger, { strict: false });
  await Promise.all(charges.map(({ daysAgo: _, ...charge }) => ledger.charge(charge)));
  const accountIds = customers.map((customer) => customer.accountId);
  await spreadOverDays(ownerUrl, charges, accountIds);
}

/** The charges of an account's keys since it was opened, the oldest first, until its credits are used up. */
function chargesOf({ account, accountId, keys }: DemoCustomer) {
  let left = (account.credits ?? TIERS[account.tier].credits) + (account.granted ?? 0);
  const uses = keys.flatMap((key) => daysOfUse(key, account).map((daysAgo) => ({ key, daysAgo })));
  return uses
    .toSorted((a, b) => b.daysAgo - a.daysAgo)
    .map(({ key, daysAgo }) => {
      const cost = Math.min(left, onDay(key, daysAgo));
      left -= cost;
      const requestId = randomUUID().replaceAll('-', '');
      return { daysAgo, accountId, keyId: key.id, cost, operation: 'text_to_voice_design', requestId };
    })
    .filter(({ cost }) => cost > 0);
}

/** How many days ago a key was used. */
function daysOfUse({ aDay, everyDays = 1 }: DemoKey, { daysOld }: DemoAccount): number[] {
  if (aDay === 0) return [];
  return Array.from({ length: daysOld }, (_, day) => day).filter((day) => day % everyDays === 0);
}

/** What a key spends on a day: less at the weekend, and never twice the same. */
function onDay({ aDay }: DemoKey, daysAgo: number): number {
  const weekday = (startOfHour(daysAgo).getUTCDay() + 6) % 7;
  return Math.round(aDay * WEEK[weekday]! * (0.9 + ((daysAgo * 7) % 11) / 50));
}

function startOfHour(daysAgo: number): Date {
  const hour = Math.floor(Date.now() / HOUR_MS) - 24 * daysAgo - 1;
  return new Date(hour * HOUR_MS);
}
