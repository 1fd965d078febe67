import { bySystem } from '../../libs/administration/audit/audit-actors';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { createApi } from '../../apps/api/src/main';
import { reconcileCredits, type ReconciliationReport } from '../../libs/credits/reconciliation';
import { eventually } from '../support/eventually';
import type { Greenroom } from './greenroom';
import type { Machine } from './machine';

const ACTOR = bySystem('test-faults');

export interface Inspection {
  /** Credits that were charged to the customer's key. */
  charged: number;
  breaches: ReconciliationReport['breaches'];
  /** Of the audit log. */
  chainIsWhole: boolean;
  /** From the order to disable a key until the api refuses it. */
  revokedMs: number;
}

/** What must hold after any fault, besides that every voice is reviewed once. */
export async function inspect(machine: Machine, greenroom: Greenroom): Promise<Inspection> {
  const api = await createApi(machine.config);
  try {
    const revokedMs = await timeRevocation(api.get(ApiKeyChangesService), greenroom);
    const [row] = await machine.dataSource.query<{ charged: number }[]>(
      `SELECT count(*)::int AS charged FROM credit_ledger WHERE key_id = $1`,
      [greenroom.keyId],
    );
    const { breaches } = await reconcileCredits(machine.dataSource);
    const { ok } = await api.get(AuditLog).verifyChain();
    return { charged: row!.charged, breaches, chainIsWhole: ok, revokedMs };
  } finally {
    await api.close();
  }
}

/** Disables a new key that the api knows. */
async function timeRevocation(keys: ApiKeyChangesService, { url, accountId }: Greenroom): Promise<number> {
  const input = { name: 'to be disabled', permissions: 'all', accountId } as const;
  const { secret, keyId } = await keys.create(ACTOR, input, null);
  const ask = async () => (await fetch(`${url}/v1/models`, { headers: { 'xi-api-key': secret } })).status;
  // The last fault may have ended the api, or left it with connections to Redis that are half-open: the first request on one is
  // refused with 429 until the connection is ended.
  await eventually(async () => expect(await ask()).toBe(200));
  const orderedAt = performance.now();
  await keys.disable({ actor: ACTOR, keyId, expected: 'any', reason: 'A test' }, 'security_incident');
  await eventually(async () => expect(await ask()).toBe(401));
  return performance.now() - orderedAt;
}
