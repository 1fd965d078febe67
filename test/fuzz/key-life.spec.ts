import fc from 'fast-check';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { FUZZ_OPTIONS } from './fuzz-options';

const { seed, isLong, minutes } = FUZZ_OPTIONS;
const LIVES = isLong ? 1_000 : 25;
const OWN_ADDRESS = '203.0.113.9';
const ANY_TAG = { 'if-match': '*' };
const REASON = { reason: 'A test' };

jest.setTimeout(minutes * 60_000 + 60_000);

let stack: Stack;
let admin: StaffClient;
let service: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  admin = await StaffClient.signedIn(stack, 'admin');
  const { body } = await admin.post('/admin/service-credentials', { name: 'speech', ...REASON });
  service = body.secret as string;
});

afterAll(async () => {
  await stack.stop();
});

/** What a key should be, after everything that was done to it. */
interface KeyModel {
  isEnabled: boolean;
  isDeleted: boolean;
  limit: number | null;
  used: number;
  /** Secrets that work; the last one is the current. */
  secrets: number;
  isListed: boolean;
}

/** The key itself, as staff and customers hold it. */
class RealKey {
  constructor(
    readonly id: string,
    readonly secrets: string[],
  ) {}

  async change(
    method: string,
    path: string,
    body: object = {},
  ): Promise<{ status: number; secret?: string }> {
    const response = await admin.send(
      method,
      `/admin/api-keys/${this.id}${path}`,
      { ...REASON, ...body },
      ANY_TAG,
    );
    return { status: response.status, secret: response.body.secret as string | undefined };
  }

  /** What a service receives when it charges the key. */
  async charge(secret: string, cost: number): Promise<{ active: boolean; credits_remaining?: number }> {
    const headers = { authorization: `Bearer ${service}` };
    const body = { token: secret, address: OWN_ADDRESS, cost };
    const response = await stack.request('POST', '/introspect', { body, headers });
    expect(response.status).toBe(200);
    return response.body as unknown as { active: boolean; credits_remaining?: number };
  }
}

type Step = fc.AsyncCommand<KeyModel, RealKey>;

const step = (
  name: string,
  run: (model: KeyModel, key: RealKey) => Promise<void>,
  isPossible = (_: KeyModel) => true,
): Step => ({
  check: isPossible,
  run,
  toString: () => name,
});

const exists = ({ isDeleted }: KeyModel) => !isDeleted;

const use = (cost: number, which: number) =>
  step(`use for ${cost} with secret ${which}`, async (model, key) => {
    const place = which % key.secrets.length;
    const works = place >= key.secrets.length - model.secrets;
    const isEnough = model.limit === null || model.used + cost <= model.limit;
    const isExpected = works && model.isEnabled && !model.isDeleted && !model.isListed && isEnough;
    const { active, credits_remaining } = await key.charge(key.secrets[place]!, cost);
    expect(active).toBe(isExpected);
    if (!isExpected) return;
    model.used += cost;
    if (model.limit !== null) expect(credits_remaining).toBe(model.limit - model.used);
  });

const call = step('call the api', async (model, key) => {
  const { status } = await stack.request('GET', '/v1/models', { secret: key.secrets.at(-1)! });
  const isRefused = model.isDeleted || !model.isEnabled;
  // The test calls from an address of its own, which is never on the list.
  expect(status).toBe(isRefused ? 401 : model.isListed ? 403 : 200);
});

const limit = (credits: number | null) =>
  step(
    `limit to ${credits}`,
    async (model, key) => {
      expect((await key.change('PATCH', '', { credit_limit: credits })).status).toBe(200);
      model.limit = credits;
    },
    exists,
  );

const list = (isListed: boolean) =>
  step(
    isListed ? 'list another address' : 'list none',
    async (model, key) => {
      const entries = isListed ? [{ address: '198.51.100.0/24' }] : null;
      expect((await key.change('PUT', '/allowed-ips', { entries, confirm: true })).status).toBe(200);
      model.isListed = isListed;
    },
    exists,
  );

const disable = step(
  'disable',
  async (model, key) => {
    const { status } = await key.change('POST', '/disable', { disable_reason: 'security_incident' });
    expect(status).toBe(model.isEnabled ? 200 : 409);
    model.isEnabled = false;
  },
  exists,
);

const enable = step(
  'enable',
  async (model, key) => {
    expect((await key.change('POST', '/enable')).status).toBe(model.isEnabled ? 409 : 200);
    model.isEnabled = true;
  },
  exists,
);

const rotate = (overlapDays: number) =>
  step(
    `rotate, the old secret works for ${overlapDays} days`,
    async (model, key) => {
      const { status, secret } = await key.change('POST', '/rotate', { overlap_days: overlapDays });
      expect(status).toBe(200);
      key.secrets.push(secret!);
      model.secrets = overlapDays > 0 ? 2 : 1;
    },
    // One rotation at a time.
    (model) => exists(model) && model.secrets === 1,
  );

const endRotation = step(
  'end the rotation',
  async (model, key) => {
    expect((await key.change('POST', '/end-rotation')).status).toBe(200);
    model.secrets = 1;
  },
  (model) => exists(model) && model.secrets === 2,
);

const remove = step(
  'delete',
  async (model, key) => {
    expect((await key.change('DELETE', '')).status).toBe(200);
    model.isDeleted = true;
  },
  exists,
);

const STEPS = fc.commands(
  [
    fc.tuple(fc.nat(60), fc.nat(3)).map(([cost, which]) => use(cost, which)),
    fc.constant(call),
    fc.option(fc.nat(150)).map(limit),
    fc.boolean().map(list),
    fc.constant(disable),
    fc.constant(enable),
    fc.constantFrom(0, 0.5, 3).map(rotate),
    fc.constant(endRotation),
    fc.constant(remove),
  ],
  { maxCommands: 20 },
);

it('a key that is used, limited, listed, rotated, disabled and deleted in any order does what a model of it says', async () => {
  const accountId = await stack.openAccount('enterprise');
  await admin.send(
    'PUT',
    `/admin/accounts/${accountId}/ip-allow-list-entitlement`,
    { enabled: true, ...REASON },
    ANY_TAG,
  );
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const { keyId, secret } = await stack.issueKey({ accountId });
      const model = { isEnabled: true, isDeleted: false, limit: null, used: 0, secrets: 1, isListed: false };
      await fc.asyncModelRun(() => ({ model, real: new RealKey(keyId, [secret]) }), steps);
    }),
    { seed, numRuns: LIVES, interruptAfterTimeLimit: minutes * 60_000 },
  );
});
