import * as fc from 'fast-check';
import { createHash, randomUUID } from 'node:crypto';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { DomainError } from '../../libs/domain/errors';
import { issueServiceCredential } from '../support/ledger-storm';
import { Stack, type IssuedKey } from '../support/stack';
import { FUZZ_OPTIONS } from './fuzz-options';

const { isLong, count, seed, minutes } = FUZZ_OPTIONS;
const TREES = isLong ? count : 25;

jest.setTimeout((minutes + 4) * 60_000);

let stack: Stack;
let service: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  service = await issueServiceCredential(stack.api);
});

afterAll(async () => {
  await stack.stop();
});

const ADDRESSES = ['203.0.113.1', '203.0.113.2', '198.51.100.1'];
const OPERATIONS = ['/v1/models', '/v1/voices'];

type Key = Pick<IssuedKey, 'keyId' | 'secret'>;

/** A service account and its keys, the first of which staff have created. */
class Tree {
  private constructor(
    readonly path: string,
    readonly keys: Key[],
  ) {}

  static async open(creditLimit: number | null): Promise<Tree> {
    const { accountId, secret } = await stack.issueKey({ tier: 'enterprise' });
    await stack.dataSource.query('UPDATE account SET ip_allow_list_enabled = true WHERE id = $1', [
      accountId,
    ]);
    const body = { name: 'tree' };
    const opened = await stack.request('POST', '/v1/service-accounts', { secret, body });
    const serviceAccountId = String(opened.body['service-account-user-id']);
    const root = await stack.issueKey({ accountId, serviceAccountId, creditLimit });
    return new Tree(`/v1/service-accounts/${serviceAccountId}/api-keys`, [root]);
  }

  at(place: number): Key {
    return this.keys[place % this.keys.length]!;
  }

  /** A request of a key about keys; one that is refused must have changed nothing. */
  async ask(by: Key, method: string, path: string, from: string, body?: object): Promise<void> {
    const before = await this.state();
    const headers = { 'x-forwarded-for': from };
    const response = await stack.request(method, this.path + path, { secret: by.secret, headers, body });
    expect(response.status).toBeLessThan(500);
    if (response.status >= 400) expect(await this.state()).toBe(before);
    const { key_id: keyId, 'xi-api-key': secret } = response.body;
    if (typeof secret === 'string') this.keys.push({ keyId: String(keyId), secret });
  }

  /** Whether each key may do each operation from each address. */
  async uses(): Promise<Map<string, string[]>> {
    const uses = new Map<string, string[]>();
    for (const { keyId, secret } of this.keys) {
      const allowed: string[] = [];
      for (const from of ADDRESSES) {
        for (const path of OPERATIONS) {
          const headers = { 'x-forwarded-for': from };
          const { status } = await stack.request('GET', path, { secret, headers });
          if (status === 200) allowed.push(`${path} from ${from}`);
        }
      }
      uses.set(keyId, allowed);
    }
    return uses;
  }

  async parentKeys(): Promise<{ id: string; parentKeyIds: string[] }[]> {
    return stack.dataSource.query(
      `SELECT id, maker_ids AS "parentKeyIds" FROM api_key WHERE maker_ids IS NOT NULL AND id = ANY ($1)`,
      [this.keys.map(({ keyId }) => keyId)],
    );
  }

  private async state(): Promise<string> {
    const rows = await stack.dataSource.query<object[]>(
      `SELECT to_jsonb(k) AS key, b.credit_limit FROM api_key k JOIN credit_balance b ON b.subject_id = k.id
       WHERE k.id = ANY ($1) ORDER BY k.id`,
      [this.keys.map(({ keyId }) => keyId)],
    );
    return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  }
}

const place = fc.nat({ max: 20 });
const from = fc.constantFrom(...ADDRESSES, ADDRESSES[0]!, ADDRESSES[0]!);
const permissions = fc.oneof(
  { weight: 2, arbitrary: fc.constant('all' as const) },
  {
    weight: 3,
    arbitrary: fc
      .subarray(['models_read', 'voices_read'])
      .map((names) => ['service_account_write', ...names]),
  },
);
const list = fc.constantFrom(['203.0.113.0/24'], ['203.0.113.1'], ['203.0.113.1', '198.51.100.1']);
const credits = fc.constantFrom(0, 5, 20, 50);
const created = fc.record({
  permissions,
  character_limit: fc.option(credits, { freq: 2 }),
  allowed_ips: fc.option(list, { freq: 1 }),
});
const edited = fc.record(
  {
    permissions,
    character_limit: fc.oneof(credits, fc.constant('clear')),
    allowed_ips: fc.oneof(list, fc.constant('clear')),
    is_enabled: fc.boolean(),
  },
  { requiredKeys: [] },
);
const byStaff = fc.record(
  { permissions, creditLimit: fc.option(credits), expiresAt: fc.constant(new Date(Date.now() + 86_400_000)) },
  { requiredKeys: [] },
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('create' as const), by: place, from, body: created }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('edit' as const), by: place, of: place, from, body: edited }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), by: place, of: place, from }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('spend' as const), by: place, from, cost: credits }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('staff' as const), of: place, edit: byStaff }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('disable' as const), of: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('detach' as const), of: place }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(tree: Tree, now: Step): Promise<void> {
  switch (now.do) {
    case 'create':
      return tree.ask(tree.at(now.by), 'POST', '', now.from, { name: 'child', ...now.body });
    case 'edit':
      return tree.ask(tree.at(now.by), 'PATCH', `/${tree.at(now.of).keyId}`, now.from, now.body);
    case 'delete':
      return tree.ask(tree.at(now.by), 'DELETE', `/${tree.at(now.of).keyId}`, now.from);
    case 'spend':
      return spend(tree.at(now.by), now.from, now.cost);
    default:
      return changeByStaff(tree.at(now.of), now);
  }
}

async function spend({ secret: token }: Key, address: string, cost: number): Promise<void> {
  const { status } = await stack.request('POST', '/introspect', {
    headers: { authorization: `Bearer ${service}` },
    body: { token, address, cost, request_id: randomUUID() },
  });
  expect(status).toBe(200);
}

async function changeByStaff(
  { keyId }: Key,
  now: Extract<Step, { do: 'staff' | 'disable' | 'detach' }>,
): Promise<void> {
  const changes = stack.api.get(ApiKeyChangesService);
  const target = { actor: bySystem('test'), keyId, expected: 'any' as const, reason: 'A test' };
  try {
    if (now.do === 'staff') await changes.edit(target, now.edit);
    else if (now.do === 'disable') await changes.disable(target, 'unused');
    else await changes.detach(target);
  } catch (error) {
    // It is deleted, disabled already, or has no maker.
    if (!(error instanceof DomainError)) throw error;
  }
}

it('in random trees, whatever keys and staff do, no key does or spends what its makers could not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.option(credits),
      fc.array(step, { minLength: 8, maxLength: 20 }),
      async (limit, steps) => {
        const tree = await Tree.open(limit);
        for (const each of steps) await take(tree, each);
        const uses = await tree.uses();
        const outgrown = (await tree.parentKeys()).flatMap(({ id, parentKeyIds }) =>
          parentKeyIds.flatMap((parentKey) =>
            uses.get(id)!.filter((use) => !uses.get(parentKey)!.includes(use)),
          ),
        );
        expect(outgrown).toEqual([]);
      },
    ),
    { seed, numRuns: TREES, interruptAfterTimeLimit: minutes * 60_000, markInterruptAsFailure: true },
  );
  expect((await reconcileCredits(stack.dataSource)).breaches).toEqual([]);
});
