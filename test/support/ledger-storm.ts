import type { INestApplicationContext } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { ServiceCredentialRepository } from '../../libs/database/keys/service-credential.repository';
import { reconcileCredits, type ReconciliationReport } from '../../libs/credits/reconciliation';
import { digestSecret, generateSecret, maskSecret } from '../../libs/domain/keys/api-key-secret';
import type { ApiProcess } from './api-process';
import { addBudget, type BudgetInput } from './budgets';
import type { Stack } from './stack';

export const CREDITS = 100;
/** Of every key: what budgets of a tag count. */
export const TAG = 'team';
/** Whom the requests are for, as many for each. */
export const END_USERS = 10;

export interface StormReport {
  /** Charges with a response before the storm was over. */
  acknowledged: string[];
  /** Requests without a response from the process that was killed. */
  unanswered: string[];
  /** Request ids with a charge in the ledger, before and after the unanswered ones were sent again. */
  inLedger: Set<string>;
  afterRetries: Set<string>;
  used: number;
  reconciliation: ReconciliationReport;
}

type ClientResponse = 'charged' | 'refused' | 'lost';

/** Issues a credential of a service, as staff would. */
export async function issueServiceCredential(api: INestApplicationContext): Promise<string> {
  const secret = generateSecret('service_credential', randomBytes);
  await api.get<DataSource>(getDataSourceToken()).transaction((em) =>
    api.get(ServiceCredentialRepository).insert(
      {
        id: randomUUID(),
        name: 'storm',
        digest: digestSecret(secret),
        maskedSecret: maskSecret(secret),
        createdBy: 'test',
        createdAt: new Date(),
        disabledAt: null,
        deletedAt: null,
        lastUsedAt: null,
        lastUsedAddress: null,
        forwardRules: [],
        version: 1,
      },
      em,
    ),
  );
  return secret;
}

export interface StormOptions {
  /** The key has no limit then: what its budgets have decides. */
  budgets?: readonly BudgetInput[];
  credits?: number;
  /** Requests at once; all of them without it. */
  callers?: number;
  /** Charges in a request; each has one of its own without it. */
  batch?: number;
}

/**
 * Two processes charge one credit of a key that has `credits`, or whose `budgets` have, twice as often as that; `victim` is killed with
 * -9 when `killAfter` charges have a response. Those without one are then sent again, to the other process.
 */
export async function storm(
  stack: Stack,
  [survivor, victim]: [ApiProcess, ApiProcess],
  killAfter: number,
  { budgets = [], credits = CREDITS, callers = 2 * credits, batch = 1 }: StormOptions = {},
): Promise<StormReport> {
  const key = await stack.issueKey({ creditLimit: budgets.length > 0 ? null : credits, tags: [TAG] });
  for (const budget of budgets) await addBudget(stack.dataSource, key.accountId, budget);
  const service = await issueServiceCredential(stack.api);
  const ids = Array.from({ length: 2 * credits }, () => randomUUID());
  // Both processes charge for each of them.
  const endUsers = new Map<string, string>(
    ids.map((id, index) => [id, `user ${Math.floor(index / 2) % END_USERS}`]),
  );
  let answered = 0;
  const headers = { authorization: `Bearer ${service}`, 'content-type': 'application/json' };
  const ask = async ({ url }: ApiProcess, group: readonly string[]): Promise<ClientResponse[]> => {
    const items = group.map((id) => ({
      token: key.secret,
      cost: 1,
      request_id: id,
      end_user: endUsers.get(id),
    }));
    const [path, body] = batch === 1 ? ['/introspect', items[0]] : ['/introspect/batch', items];
    try {
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const { status } = response;
      const entries = batch === 1 ? [{ status, body: await response.json() }] : await response.json();
      if (status !== 200) return group.map(() => 'lost');
      return (entries as { status: number; body: { active?: boolean } }[]).map((entry) => {
        const { active } = entry.body;
        if (active && ++answered === killAfter) void victim.stop('SIGKILL');
        return entry.status !== 200 ? 'lost' : active ? 'charged' : 'refused';
      });
    } catch {
      return group.map(() => 'lost');
    }
  };
  const sendAll = async (each: readonly string[], to: (index: number) => ApiProcess) => {
    const responses: ClientResponse[][] = [];
    const groups = Array.from({ length: Math.ceil(each.length / batch) }, (_, index) =>
      each.slice(index * batch, (index + 1) * batch),
    );
    const waiting = groups.entries();
    const call = async () => {
      for (const [index, group] of waiting) responses[index] = await ask(to(index), group);
    };
    await Promise.all(Array.from({ length: callers }, call));
    return responses.flat();
  };
  const responses = await sendAll(ids, (index) => (index % 2 ? victim : survivor));
  const inLedger = await chargedIds(stack, key.keyId);
  const unanswered = ids.filter((_, index) => responses[index] === 'lost');
  await sendAll(unanswered, () => survivor);
  const afterRetries = await chargedIds(stack, key.keyId);
  const [balance] = await stack.dataSource.query<{ used: string }[]>(
    'SELECT used FROM credit_balance WHERE subject_id = $1',
    [key.keyId],
  );
  return {
    acknowledged: ids.filter((_, index) => responses[index] === 'charged'),
    unanswered,
    inLedger,
    afterRetries,
    used: Number(balance!.used),
    reconciliation: await reconcileCredits(stack.dataSource),
  };
}

async function chargedIds(stack: Stack, keyId: string): Promise<Set<string>> {
  const rows = await stack.dataSource.query<{ id: string }[]>(
    `SELECT substr(request_id, length('service/') + 1) AS id FROM credit_ledger WHERE key_id = $1`,
    [keyId],
  );
  return new Set(rows.map(({ id }) => id));
}
