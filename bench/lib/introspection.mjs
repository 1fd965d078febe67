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

export function introspection(headers, secret) {
  const body = JSON.stringify({ token: secret, address: '127.0.0.1', scope: 'voice_generation', cost: 1 });
  return { method: 'POST', path: '/introspect', headers, body };
}
