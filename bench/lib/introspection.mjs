import { signInAdmin } from './staff.mjs';

export const JSON_TYPE = { 'content-type': 'application/json' };

/** The head of an introspection by a service. */
export async function serviceHeaders(databaseUrl, baseUrl) {
  const staff = await signInAdmin(databaseUrl, baseUrl);
  const { body } = await staff('POST', '/admin/service-credentials', {
    name: 'bench',
    reason: 'Measurement',
  });
  return { ...JSON_TYPE, authorization: `Bearer ${body.secret}` };
}

const queryOf = (secret) => ({ token: secret, address: '127.0.0.1', scope: 'voice_generation' });

export function introspection(headers, secret, cost = 1) {
  const body = JSON.stringify({ ...queryOf(secret), cost: cost ?? undefined });
  return { method: 'POST', path: '/introspect', headers, body };
}

/** Charges of these keys in one request. */
export function introspectionBatch(headers, secrets) {
  const body = JSON.stringify(secrets.map((secret) => ({ ...queryOf(secret), cost: 1 })));
  return { method: 'POST', path: '/introspect/batch', headers, body };
}
