import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { ExplainService } from '../../apps/api/src/explain/explain.service';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { checkAgreement, INSIDE, OUTSIDE } from '../support/explain-agreement';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
let support: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  support = await StaffClient.signedIn(stack, 'support');
});

afterAll(async () => {
  await stack.stop();
});

interface Gate {
  gate: string;
  passed: boolean;
  rule: string;
  change: string | null;
  refusal: { code: string; status: number } | null;
}

async function explain(key: IssuedKey, query: object = {}) {
  const body = { address: INSIDE, method: 'GET', path: '/v1/models', ...query };
  const { status, body: response } = await support.post(`/admin/api-keys/${key.keyId}/explain`, body);
  expect(status).toBe(200);
  return response as { allowed: boolean; decided_by: string | null; route: string | null; gates: Gate[] };
}

const gateOf = (response: { gates: Gate[] }, name: string) =>
  response.gates.find(({ gate }) => gate === name);

describe('200', () => {
  it('names every gate in the order in which a request meets them', async () => {
    const response = await explain(await stack.issueKey(), { cost: 10 });
    expect(response).toMatchObject({ allowed: true, decided_by: null, route: 'GET /v1/models' });
    expect(response.gates.map(({ gate }) => gate)).toEqual([
      'route',
      'credential',
      'state',
      'account',
      'ip',
      'scope',
      'limit',
      'concurrency',
      'tier',
      'model',
      'voice',
      'credits',
    ]);
    expect(
      response.gates.every(({ passed, change, refusal }) => passed && change === null && refusal === null),
    ).toBe(true);
  });

  it('the first refusing gate decides, and what stands behind it is explained too', async () => {
    const key = await stack.issueKey({ permissions: ['voices_read'], allowedIps: [INSIDE], creditLimit: 5 });
    const response = await explain(key, { address: OUTSIDE, cost: 8 });
    expect(response).toMatchObject({ allowed: false, decided_by: 'ip' });
    expect(gateOf(response, 'ip')).toEqual({
      gate: 'ip',
      passed: false,
      rule: `${OUTSIDE} is not on the allow-list (1 entry).`,
      change: 'Add the address to the allow-list, or call from one that is on it.',
      remedy: 'list_of_key',
      refusal: { code: 'ip_not_allowed', status: 403 },
    });
    expect(gateOf(response, 'scope')).toMatchObject({
      passed: false,
      rule: 'The operation needs the permission models_read, which the key does not have.',
    });
    expect(gateOf(response, 'credits')).toMatchObject({
      passed: false,
      refusal: { code: 'insufficient_credits', status: 402 },
      rule: expect.stringContaining('the key has 5 of 5'),
      change: expect.stringContaining('Raise the limit of the key by 3'),
    });
  });

  it('the entry that lets an address in is named with its note and its end', async () => {
    const key = await stack.issueKey({ allowedIps: ['203.0.113.0/24'] });
    await stack.dataSource.query(
      `INSERT INTO allow_list_entry (key_id, cidr, note, ends_at, added_by, added_at)
       VALUES ($1, '203.0.113.0/24', 'The audit', '2099-01-01', 'x', now())`,
      [key.keyId],
    );
    const rule = async () => gateOf(await explain(key), 'ip');
    expect(await rule()).toMatchObject({
      passed: true,
      rule: `${INSIDE} is let in by the entry 203.0.113.0/24 (The audit) until 2099-01-01T00:00:00.000Z.`,
    });
    await stack.dataSource.query(`UPDATE allow_list_entry SET ends_at = '2020-01-01' WHERE key_id = $1`, [
      key.keyId,
    ]);
    expect(await rule()).toMatchObject({ passed: false, rule: expect.stringContaining('which has ended') });
  });

  it('paths are resolved as the router resolves them', async () => {
    const key = await stack.issueKey();
    const routeOf = async (method: string, path: string) => {
      const { route, decided_by, gates } = await explain(key, { method, path });
      return [route, decided_by, gates[0]?.refusal?.status ?? null];
    };
    expect(await routeOf('GET', '/v1/voices/abc?x=1')).toEqual(['GET /v1/voices/:voice_id', null, null]);
    expect(await routeOf('DELETE', '/v1/models')).toEqual([null, 'route', 405]);
    expect(await routeOf('GET', '/v1/nothing')).toEqual([null, 'route', 404]);
    expect(await routeOf('GET', '/healthz')).toEqual(['GET /healthz', null, null]);
    expect(await routeOf('GET', '/admin/staff')).toEqual(['GET /admin/staff', 'route', 401]);
  });

  it('charges nothing and counts nothing', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const state = () =>
      stack.dataSource.query(
        `SELECT (SELECT count(*) FROM credit_ledger), (SELECT sum(used) FROM credit_balance),
           (SELECT count(*) FROM observed_traffic WHERE key_id = $1), (SELECT version FROM api_key WHERE id = $1)`,
        [key.keyId],
      );
    const before = await state();
    for (let i = 0; i < 10; i++) await explain(key, { cost: 50 });
    expect(await state()).toEqual(before);
  });

  it('credits that were spent are missing, and a period that has ended gives them back', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    const ids = { keyId: key.keyId, accountId: key.accountId };
    await stack.api.get(CreditLedger).charge({ ...ids, cost: 70, operation: 'test', requestId: key.keyId });
    expect(await explain(key, { cost: 31 })).toMatchObject({ decided_by: 'credits' });
    expect(await explain(key, { cost: 30 })).toMatchObject({ allowed: true });
    await stack.dataSource.query(`UPDATE credit_balance SET period_end = now() WHERE subject_id = $1`, [
      key.keyId,
    ]);
    expect(await explain(key, { cost: 100 })).toMatchObject({ allowed: true });
  });
});

describe('404 and 422', () => {
  it.each(['00000000-0000-4000-8000-000000000000', 'nonsense'])('no key %s', async (keyId) => {
    const query = { address: INSIDE, method: 'GET', path: '/v1/models' };
    expect((await support.post(`/admin/api-keys/${keyId}/explain`, query)).status).toBe(404);
  });

  it.each([
    ['method', { method: 'BREW' }],
    ['cost', { cost: -1 }],
    ['cost', { cost: 0.5 }],
    ['path', { path: '' }],
    ['secret_number', { secret_number: 0 }],
  ])('%s', async (field, body) => {
    const { keyId } = await stack.issueKey();
    const query = { address: INSIDE, method: 'GET', path: '/v1/models', ...body };
    const response = await support.post(`/admin/api-keys/${keyId}/explain`, query);
    expect(response.status).toBe(422);
    expect(response.body.errors).toMatchObject([{ pointer: `#/${field}` }]);
  });
});

describe('agreement with real requests', () => {
  it('explain says how the request then ends, for any state, list, scope, limit, credits, address and route', async () => {
    const { decidedBy } = await checkAgreement(stack, 500);
    // The gates that decide often; `npm run test:faults -- agreement` comes to all of them.
    const gates = ['route', 'state', 'account', 'ip', 'scope', 'credits', 'none'];
    expect(gates.filter((gate) => !decidedBy[gate])).toEqual([]);
  });

  it('the gate of credits says what a charge then does, for any limit, spending and cost', async () => {
    const [explaining, ledger] = [stack.api.get(ExplainService), stack.api.get(CreditLedger)];
    const tryOne = async (creditLimit: number | null, costs: number[]) => {
      const { keyId, accountId } = await stack.issueKey({ creditLimit, tier: 'free' });
      for (const cost of costs) {
        const query = { keyId, address: INSIDE, method: 'GET', path: '/v1/models', cost };
        const { allowed } = await explaining.explain(query);
        const charge = { keyId, accountId, cost, operation: 'test', requestId: randomUUID() };
        expect(await ledger.charge(charge)).toMatchObject({ charged: allowed });
      }
    };
    const cost = fc.oneof(fc.nat({ max: 20 }), fc.constantFrom(4_999, 5_000, 10_000, 10_001));
    const limit = fc.option(fc.nat({ max: 40 }));
    await fc.assert(fc.asyncProperty(limit, fc.array(cost, { minLength: 1, maxLength: 6 }), tryOne), {
      numRuns: 60,
    });
  });
});
