import { itConforms } from '../support/conformance/suite';
import { eventually } from '../support/eventually';
import { Stack } from '../support/stack';
import { withUpstream } from '../support/upstream';

let stack: Stack;
let upstream: Stack;

itConforms(async () => {
  upstream = await Stack.start({ worker: false });
  const { secret } = await upstream.issueKey({ tier: 'enterprise' });
  stack = await Stack.start({ worker: false, env: withUpstream(upstream.baseUrl, secret) });
  return stack;
});

it('all that was called is charged here as it was there', async () => {
  const sql = `SELECT sum(used)::int AS used FROM credit_balance WHERE subject = 'account'`;
  await eventually(async () => {
    const [here, there] = await Promise.all([stack.asOwner(sql), upstream.asOwner(sql)]);
    expect(here).toEqual(there);
  });
  process.stdout.write(`Credits, here and there: ${JSON.stringify(await upstream.asOwner(sql))}\n`);
});

afterAll(async () => upstream?.stop());
