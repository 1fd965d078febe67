import { CreditBalances } from '@app/credits/credit-balances';
import { CreditLedger } from '@app/credits/credit-ledger';
import { spreadOverDays } from '@app/database/credits/ledger-dates';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import type { INestApplicationContext } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { AGENCY, OFFICE, type DemoCustomer } from './demo-customer';

const DAYS = 21;
const HOUR_MS = 3_600_000;
const ROUTES = ['GET /v1/models', 'POST /v1/text-to-voice/design', 'POST /v1/text-to-voice'];

/** Three weeks in which the key was used from two addresses: from the office each day, from the agency every other. */
export async function addTraffic(services: INestApplicationContext, { productionKeyId }: DemoCustomer) {
  const counts = daysBack().flatMap((day) =>
    [OFFICE, ...(day % 2 === 0 ? [AGENCY] : [])].flatMap((address) =>
      ROUTES.map((route, place) => {
        const hour = startOfHour(day);
        const times = { hour, firstAt: hour, lastAt: new Date(hour.getTime() + HOUR_MS / 4) };
        const requests = 3 + ((day * 7 + place * 5) % 11);
        return { ...times, keyId: productionKeyId, route, address, outcome: 'served', requests };
      }),
    ),
  );
  await services.get(ObservedTrafficRepository, { strict: false }).addCounts(counts);
  const { lastAt } = counts[0]!;
  const lastUse = { keyId: productionKeyId, secretNumber: 1, at: lastAt, address: OFFICE };
  await services.get(ApiKeyRepository, { strict: false }).markUsed([lastUse]);
}

/** Charges of three weeks, and credits that staff have granted. */
export async function useCredits(
  services: INestApplicationContext,
  { accountId, productionKeyId: keyId }: DemoCustomer,
  ownerUrl: string,
): Promise<void> {
  const grant = { accountId, keyId: null, kind: 'grant', amount: 250_000, actor: 'demo' } as const;
  await services
    .get(DataSource)
    .transaction((em) =>
      services
        .get(CreditBalances, { strict: false })
        .adjust({ ...grant, requestId: `demo ${accountId}` }, em),
    );
  const charges = daysBack().map((day) => ({
    keyId,
    accountId,
    cost: 200 + ((day * 311) % 700),
    operation: 'text_to_voice_design',
    requestId: randomUUID().replaceAll('-', ''),
  }));
  const ledger = services.get(CreditLedger, { strict: false });
  await Promise.all(charges.toReversed().map((charge) => ledger.charge(charge)));
  await spreadOverDays(
    ownerUrl,
    charges.map(({ requestId }) => requestId),
  );
}

const daysBack = () => Array.from({ length: DAYS }, (_, day) => day);

function startOfHour(daysAgo: number): Date {
  const hour = Math.floor(Date.now() / HOUR_MS) - 24 * daysAgo - 1;
  return new Date(hour * HOUR_MS);
}
