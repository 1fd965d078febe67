import { compare } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { introspection, JSON_TYPE } from '../lib/introspection.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { signInAdmin } from '../lib/staff.mjs';

const KEYS = 1_000;
const PLENTY = 2 ** 40;

/** What the forward-auth of a proxy costs beside `/introspect`, which decides the same about the same keys. */
export async function run({ quick }) {
  const postgres = await startPostgres();
  const bench = await prepareGreenroom(postgres, 'forward', { keys: KEYS, creditLimit: PLENTY });
  const api = await startApi(bench.url, { TRUSTED_PROXIES: '127.0.0.1' });
  try {
    const secret = await forwardingService(bench.url, api.baseUrl);
    const subject = { subject: api, postgresPid: postgres.pid };
    const headers = { ...JSON_TYPE, authorization: `Bearer ${secret}` };
    const ofKeys = (toRequest) => bench.keys.map((key) => toRequest(key.secret));
    const pairs = [
      ['without a cost', '/free', null],
      ['with a cost', '/paid', 1],
    ];
    const rows = [];
    for (const [what, path, cost] of pairs) {
      const asked = ofKeys((key) => introspection(headers, key, cost));
      const forwarded = ofKeys((key) => forward(secret, key, path));
      const measured = await compare(
        [
          { name: `/introspect, ${what}`, ...subject, requests: asked },
          { name: `/introspect/forward, ${what}`, ...subject, requests: forwarded },
        ],
        quick ? { rounds: 3, seconds: 1 } : { rounds: 9, seconds: 2 },
      );
      rows.push(...measured);
    }
    return { title: `Forward-auth beside introspection (${KEYS} keys, 32 connections)`, rows };
  } finally {
    await api.stop();
    await postgres.stop();
  }
}

async function forwardingService(databaseUrl, baseUrl) {
  const staff = await signInAdmin(databaseUrl, baseUrl);
  const reason = 'Measurement';
  const { body } = await staff('POST', '/admin/service-credentials', { name: 'bench', reason });
  const rule = (match, cost) => ({ match, scope: 'voice_generation', cost });
  const forward_rules = [rule('/free', null), rule('/paid', 1)];
  await staff('PUT', `/admin/service-credentials/${body.id}/forward-rules`, { forward_rules, reason });
  return body.secret;
}

function forward(service, key, path) {
  const headers = {
    'x-greenroom-service': service,
    'xi-api-key': key,
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-method': 'POST',
    'x-forwarded-uri': path,
  };
  return { method: 'GET', path: '/introspect/forward', headers };
}
