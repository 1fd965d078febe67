import { itConforms } from '../support/conformance/suite';
import { Stack } from '../support/stack';
import { withUpstream } from '../support/upstream';

let upstream: Stack;

itConforms(async () => {
  upstream = await Stack.start({ worker: false });
  const { secret } = await upstream.issueKey({ tier: 'enterprise' });
  return Stack.start({ worker: false, env: withUpstream(upstream.baseUrl, secret) });
});

afterAll(async () => upstream?.stop());
