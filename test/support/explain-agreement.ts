import * as fc from 'fast-check';
import { ExplainService, type Explanation } from '../../apps/api/src/explain/explain.service';
import type { CurrentBudgetResponse } from '../../apps/api/src/budgets/current-budget.dto';
import { PERMISSIONS, type Permission } from '../../libs/domain/keys/permissions';
import { addBudget } from './budgets';
import { issueServiceCredential } from './ledger-storm';
import { designBody, TEXT } from './samples';
import type { JsonBody, Stack } from './stack';

export const INSIDE = '203.0.113.10';
export const OUTSIDE = '198.51.100.7';

/** Requests with one key, one after the other: its credits and its minute are used up on the way. */
const REQUESTS_PER_KEY = 5;
const DESIGN = '/v1/text-to-voice/design';

const permission = fc.constantFrom<Permission>(
  'models_read',
  'voices_read',
  'voice_generation',
  ...PERMISSIONS.slice(0, 2),
);

/** Mostly fine, so that the later gates are met as often as the first ones. */
const rarely = fc.nat({ max: 5 }).map((number) => number === 0);

const anyKey = fc.record({
  disabled: rarely,
  expired: rarely,
  retired: rarely,
  account: fc.constantFrom('active', 'active', 'active', 'active', 'suspended', 'closed'),
  /** Credits of a budget of the account. */
  budget: fc.constantFrom(null, null, 5, 60, 120),
  options: fc.record({
    tier: fc.constantFrom('free' as const, 'creator' as const, 'pro' as const),
    concurrency: fc.constantFrom(0, 2, 5),
    requestsPerMinute: fc.constantFrom(null, null, 1, 3),
    creditLimit: fc.constantFrom(null, 0, 7, 99, 130),
    allowedIps: fc.constantFrom(
      null,
      null,
      [INSIDE],
      [OUTSIDE],
      ['203.0.113.0/24', OUTSIDE],
      ['2001:db8::/32'],
    ),
    permissions: fc.oneof(
      fc.constant('all' as const),
      fc.uniqueArray(permission, { minLength: 1, maxLength: 3 }),
    ),
  }),
});

const anyRequest = fc.record({
  address: fc.constantFrom(INSIDE, INSIDE, OUTSIDE, '2001:db8::1', '::ffff:203.0.113.10', 'garbage'),
  route: fc.constantFrom<[method: string, path: string]>(
    ['GET', '/v1/models'],
    ['GET', '/v1/voices?page_size=3'],
    ['GET', '/v1/voices/none'],
    ['GET', '/v1/nothing'],
    ['GET', '/v1/%6dodels'],
    ['DELETE', '/v1/%6dodels'],
    ['GET', '/v1/voices/%zz'],
    ['GET', '/v1/voices/a%2Fb'],
    ['GET', `/v1/voices/${'x'.repeat(201)}`],
    ['GET', '/v1/models/'],
    ['GET', '/V1/models'],
    ['GET', '/healthz'],
    ['GET', '/admin/staff'],
    ['HEAD', '/v1/models'],
    ['DELETE', '/v1/models'],
    ['POST', '/introspect'],
    ['POST', DESIGN],
    ['POST', `${DESIGN}?output_format=pcm_44100`],
    ['POST', `${DESIGN}?output_format=mp3_44100_192&x=1`],
  ),
  /** Sent by a service: charges any cost without the work. */
  introspected: fc.boolean(),
  cost: fc.constantFrom(0, 1, 6, 50, 100, 10_000),
});

type AnyKey = typeof anyKey extends fc.Arbitrary<infer T> ? T : never;
type AnyRequest = typeof anyRequest extends fc.Arbitrary<infer T> ? T : never;

/** Null for a request that passes every gate, else the status and, if the response has a body, the code of the refusal. */
type Verdict = [status: number, code: string | null] | null;

export interface Agreement {
  combinations: number;
  /** How often each gate decided; `none` for requests that passed all of them. */
  decidedBy: Record<string, number>;
}

/**
 * Has a request explained and then sends it, for random combinations of key state, list, scope, limits, credits,
 * address and route.
 *
 * @throws the combination for which the two differ, shrunk as far as possible
 */
export async function checkAgreement(stack: Stack, combinations: number, seed?: number): Promise<Agreement> {
  const service = await issueServiceCredential(stack.api);
  const explaining = stack.api.get(ExplainService);
  const decidedBy: Record<string, number> = {};

  const tryOne = async (state: AnyKey, requests: AnyRequest[]) => {
    const key = await makeKey(stack, state);
    for (const request of requests) {
      const { address, introspected } = request;
      const [method, path] = request.route;
      const cost = introspected ? request.cost : path.startsWith(DESIGN) ? TEXT.length : 0;
      const explained = await explaining.explain({ keyId: key.keyId, address, method, path, cost });
      // A service learns nothing of a key on operations without one, and runs its generations itself.
      const asks = introspected && !(explained.gates.length === 1);
      const gates = explained.gates.filter(({ gate }) => !asks || gate !== 'concurrency');
      const deciding = gates.find(({ passed }) => !passed);
      const said = deciding?.refusal ?? null;
      const introspection =
        asks && (await introspect(stack, service, { token: key.secret, address, method, path, cost }));
      const real = introspection
        ? verdictOf(introspection)
        : await send(stack, key.secret, { address, method, path });
      const expected = said && [said.status, real?.[1] === null ? null : said.code];
      if (JSON.stringify(real) !== JSON.stringify(expected))
        throw new Error(
          `${method} ${path} from ${address}, cost ${cost}: explain says ${JSON.stringify(said)}, the response was ${JSON.stringify(real)}`,
        );
      if (introspection) checkBudgets(explained, introspection, cost);
      const name = deciding?.gate ?? 'none';
      decidedBy[name] = (decidedBy[name] ?? 0) + 1;
    }
  };
  const requests = fc.array(anyRequest, { minLength: REQUESTS_PER_KEY, maxLength: REQUESTS_PER_KEY });
  const numRuns = combinations / REQUESTS_PER_KEY;
  await fc.assert(fc.asyncProperty(anyKey, requests, tryOne), { numRuns, seed });
  return { combinations, decidedBy };
}

async function makeKey(stack: Stack, { disabled, expired, retired, account, budget, options }: AnyKey) {
  const key = await stack.issueKey(options);
  if (budget !== null) await addBudget(stack.dataSource, key.accountId, { amount: budget });
  await stack.dataSource.query('UPDATE api_key SET disable_reason = $2, expires_at = $3 WHERE id = $1', [
    key.keyId,
    disabled ? 'unused' : null,
    expired ? '2020-01-01' : null,
  ]);
  await stack.dataSource.query('UPDATE account SET status = $2 WHERE id = $1', [key.accountId, account]);
  if (retired)
    await stack.dataSource.query(`UPDATE api_key_secret SET retires_at = '2020-01-01' WHERE key_id = $1`, [
      key.keyId,
    ]);
  return key;
}

async function send(
  stack: Stack,
  secret: string,
  { address, method, path }: { address: string; method: string; path: string },
): Promise<Verdict> {
  const headers = { 'x-forwarded-for': address };
  const body = path.startsWith(DESIGN) ? designBody() : undefined;
  const response = await stack.request(method, path, { secret, headers, body });
  const code = response.body.detail?.code ?? response.body.code ?? null;
  // An object that does not exist is found to be missing behind the gates.
  if (response.status < 300 || code === 'voice_not_found') return null;
  return [response.status, code as string | null];
}

async function introspect(stack: Stack, service: string, query: object): Promise<JsonBody> {
  const headers = { authorization: `Bearer ${service}` };
  const { status, body } = await stack.request('POST', '/introspect', { body: query, headers });
  if (status !== 200) throw new Error(`/introspect responded ${status} to ${JSON.stringify(query)}`);
  return body;
}

function verdictOf(body: JsonBody): Verdict {
  return body.active ? null : [body.status as number, body.code as string];
}

/**
 * A budget has what explain said before, less what the introspection charged.
 *
 * @throws where one of the two knows another amount
 */
function checkBudgets({ gates }: Explanation, introspection: JsonBody, cost: number): void {
  const { active, budgets = [] } = introspection as { active: boolean; budgets?: CurrentBudgetResponse[] };
  const rule = gates.find(({ gate }) => gate === 'credits')?.rule ?? '';
  for (const { name, amount, left, window } of budgets) {
    const before = `the budget '${name}' has ${active ? left + cost : left} of ${amount} per ${window}`;
    if (!rule.includes(before))
      throw new Error(
        `explain says ${rule}, and introspection says that ${left} credits are left in ${name}`,
      );
  }
  if (active && rule.includes('the budget ') !== budgets.length > 0)
    throw new Error(`explain says ${rule}, and introspection names ${budgets.length} budgets`);
}
