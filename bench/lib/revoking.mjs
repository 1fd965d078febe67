import { Agent, get } from 'node:http';
import { loadFor } from './load.mjs';

const agent = new Agent({ keepAlive: true });

/**
 * Disables one key after the other, and measures each until the slowest process refuses it.
 *
 * @param before runs before each, if it is given
 */
export async function disableAll(apis, staff, targets, before) {
  const results = [];
  for (const { keyId, secret } of targets) {
    await before?.();
    await Promise.all(apis.map((api) => call(api, secret)));
    const startedAt = performance.now();
    const refusals = apis.map((api) => untilRefused(api, secret, startedAt));
    const { body } = await staff('POST', `/admin/api-keys/${keyId}/disable`, {
      disable_reason: 'exposed_publicly',
      reason: 'Measurement',
    });
    const respondedMs = performance.now() - startedAt;
    const seenMs = Math.max(...(await Promise.all(refusals)));
    results.push({ ...body.receipt, committedMs: respondedMs - body.receipt.ms, seenMs });
  }
  return results;
}

async function untilRefused(api, secret, startedAt) {
  while ((await call(api, secret)) === 200) await new Promise((resolve) => setTimeout(resolve, 2));
  return performance.now() - startedAt;
}

/** Not by fetch: it costs so much more that asking four processes would be the load of a machine that is called idle. */
function call(api, secret) {
  return new Promise((resolve, reject) => {
    const options = { agent, headers: { 'xi-api-key': secret } };
    get(`${api.baseUrl}/v1/models`, options, (answer) => {
      answer
        .resume()
        .once('error', reject)
        .once('end', () => resolve(answer.statusCode));
    }).once('error', reject);
  });
}

/** Measures while each api verifies keys as fast as it can. */
export async function underLoad(apis, keys, measure) {
  const requests = keys.map(({ secret }) => ({ path: '/v1/models', headers: { 'xi-api-key': secret } }));
  let on = true;
  const load = Promise.all(
    apis.map(async (api) => {
      while (on) await loadFor(api.baseUrl, requests, { connections: 4, seconds: 2 });
    }),
  );
  // Whatever ends the load ends the measurement.
  const [result] = await Promise.all([measure().finally(() => (on = false)), load]);
  return result;
}
