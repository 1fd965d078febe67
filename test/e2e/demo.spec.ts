import { addVoices } from '../../src/cli/demo/demo-voices';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const stack = Stack.ofFile({ worker: false });
const ops = StaffClient.ofFile(stack, 'ops');

it('the reviews of the demo that have failed are as a worker leaves them, after their last attempt', async () => {
  await addVoices(stack.api, await stack.openAccount('pro'));
  const { body } = await ops.get('/admin/dead-letters');
  expect(body.items).toMatchObject([
    { attempts: 5, cause: 'no space left on device' },
    { attempts: 5, cause: 'connect ECONNREFUSED 192.0.2.1:9000' },
  ]);
});
