import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measureInTurn } from '../lib/compare.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { row } from '../limit/row.mjs';
import { models } from '../lib/verifying.mjs';

const KEYS = 1_000;
const HERE = new URL('../..', import.meta.url).pathname;

/**
 * This tree beside an earlier one (`--before DIR`, built): processor time for the same requests, in turn. Each has a database of
 * its own schema, on the same PostgreSQL.
 */
export async function run({ quick, options }) {
  if (options.before === undefined)
    throw new Error('give the folder of an earlier tree, built: --before DIR');
  const postgres = await startPostgres();
  const running = [];
  try {
    const trees = { before: options.before, now: HERE };
    const entries = [];
    for (const [name, folder] of Object.entries(trees))
      entries.push(...(await start(name, folder, postgres, running)));
    const slices = quick ? { rounds: 2, seconds: 1 } : { rounds: 9, seconds: 2 };
    const measured = await measureInTurn(entries, slices);
    return {
      title: 'Beside the tree before',
      rows: [...new Set(entries.map(({ what }) => what))].flatMap((what) => rowsOf(what, measured)),
      remarks: ['Processor time of the api and of PostgreSQL, now and before, of the rounds in turn.'],
    };
  } finally {
    for (const api of running) await api.stop();
    await postgres.stop();
  }
}

/** What a tree is asked, of an api that runs its code. */
async function start(name, folder, postgres, running) {
  const lib = (file) => import(pathToFileURL(join(folder, 'bench/lib', file)).href);
  const { prepareGreenroom, startApi } = await lib('greenroom.mjs');
  const { introspection, serviceHeaders } = await lib('introspection.mjs');
  const bench = await prepareGreenroom(postgres, `before_${name}`, {
    keys: KEYS,
    accounts: KEYS,
    creditLimit: 2 ** 40,
  });
  const api = await startApi(bench.url, { TEXT_TO_SPEECH: 'off' });
  running.push(api);
  const headers = await serviceHeaders(bench.url, api.baseUrl);
  const secrets = bench.keys.map(({ secret }) => secret);
  const requests = {
    'GET /v1/models': secrets.map((secret) => models({ 'xi-api-key': secret })),
    'a charge': secrets.map((secret) => introspection(headers, secret)),
    'introspection without a cost': secrets.map((secret) => introspection(headers, secret, null)),
  };
  return Object.entries(requests).map(([what, list]) => ({
    what,
    name: `${what} ${name}`,
    subject: api,
    requests: list,
    postgresPid: postgres.pid,
  }));
}

function rowsOf(what, measured) {
  const [now, before] = [measured.get(`${what} now`), measured.get(`${what} before`)];
  return [
    ['api', ({ cpuUs }) => cpuUs],
    ['PostgreSQL', ({ postgresUs }) => postgresUs],
  ]
    .filter(([, of]) => before.some((slice) => of(slice) > 1))
    .flatMap(([side, of]) => [
      row(`${what}: ${side}, µs`, now.map(of)),
      row(
        '  of the tree before',
        now.map((slice, round) => of(slice) / of(before[round])),
      ),
    ]);
}
