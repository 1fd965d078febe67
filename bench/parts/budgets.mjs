import { compare } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { introspection, serviceHeaders } from '../lib/introspection.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { signInAdmin } from '../lib/staff.mjs';

const PLENTY = 2 ** 40;
const BUDGETS = [
  { name: 'Each day', window: 'day' },
  { name: 'Each month', window: 'month', operations: ['voice_generation'] },
  { name: 'Each end user', window: 'week', subject: 'end_user' },
];

/** What budgets cost a charge: one key in an account without any, and one in an account with three that all count it. */
export async function run({ quick }) {
  const postgres = await startPostgres();
  const apis = [];
  try {
    const entries = [];
    for (const budgets of [[], BUDGETS]) {
      const bench = await prepareGreenroom(postgres, `budgets_${budgets.length}`, { keys: 1 });
      const api = await startApi(bench.url);
      apis.push(api);
      const staff = await signInAdmin(bench.url, api.baseUrl);
      for (const budget of budgets)
        await staff('POST', `/admin/accounts/${bench.accountId}/budgets`, {
          ...budget,
          amount: PLENTY,
          reason: 'Measurement',
        });
      const charge = introspection(await serviceHeaders(bench.url, api.baseUrl), bench.keys[0].secret);
      const body = JSON.stringify({ ...JSON.parse(charge.body), end_user: 'one' });
      entries.push({
        name: `one key, ${budgets.length} budgets`,
        subject: api,
        requests: [{ ...charge, body }],
        postgresPid: postgres.pid,
      });
    }
    const slices = quick ? { rounds: 2, seconds: 1 } : { rounds: 7, seconds: 2 };
    const rows = [];
    for (const connections of [32, 256]) {
      const measured = await compare(entries, { ...slices, connections });
      rows.push(...measured.map((row) => ({ connections, ...row })));
    }
    return { title: 'Charges with budgets (/introspect, one end user)', rows };
  } finally {
    for (const api of apis) await api.stop();
    await postgres.stop();
  }
}
