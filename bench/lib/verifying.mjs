import { fileURLToPath } from 'node:url';
import { startApi } from './greenroom.mjs';
import { Subject } from './process.mjs';

export const BARE_NEST = fileURLToPath(new URL('../subjects/bare-nest.cjs', import.meta.url));

export const models = (headers = {}) => ({ path: '/v1/models', headers });

/** The bare Nest route and an api that verifies the keys of `bench` in turn, for `compare`; both are added to `running`. */
export async function startVerifying({ postgres, bench, running }) {
  // Without speech the list of models is the bare route's, byte for byte.
  const ours = await startApi(bench.url, { TEXT_TO_SPEECH: 'off' });
  running.push(ours);
  const withKeys = bench.keys.map(({ secret }) => models({ 'xi-api-key': secret }));
  const bare = await Subject.start(BARE_NEST);
  running.push(bare);
  await requireSameBody([bare, models()], [ours, withKeys[0]]);
  return [
    { name: 'bare Nest route', subject: bare, requests: [models()] },
    {
      name: 'Greenroom GET /v1/models, 1,000 keys',
      subject: ours,
      requests: withKeys,
      postgresPid: postgres.pid,
    },
  ];
}

/** @throws when they send different bodies: then the ratio would measure the bodies too */
async function requireSameBody(...requests) {
  const bodies = await Promise.all(
    requests.map(async ([{ baseUrl }, { path, headers }]) =>
      (await fetch(baseUrl + path, { headers })).text(),
    ),
  );
  if (bodies.some((body) => body !== bodies[0]))
    throw new Error(
      `The bare route and ours send different bodies: ${bodies.map((body) => body.length)} bytes.`,
    );
}
