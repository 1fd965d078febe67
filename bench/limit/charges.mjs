import { measureInTurn } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { introspection, serviceHeaders } from '../lib/introspection.mjs';
import { row } from './row.mjs';
import { findPgbench, prepareCharges } from './pgbench.mjs';

const KEYS = 1_000;
const PLENTY = 2 ** 40;
const AIMS = { 32: 1, 256: 1.3 };

/** Exact charges over HTTP beside the least transaction that charges exactly, on the same PostgreSQL. */
export async function measureCharges({ postgres, running, note, slices }) {
  const pgbench = findPgbench();
  if (!pgbench)
    note('pgbench is not installed (postgresql-contrib): charges are measured with nothing beside them.');
  const bench = await prepareGreenroom(postgres, 'limit_charges', {
    keys: KEYS,
    accounts: KEYS,
    creditLimit: PLENTY,
  });
  const api = await startApi(bench.url);
  running.push(api);
  const headers = await serviceHeaders(bench.url, api.baseUrl);
  const requests = bench.keys.map(({ secret }) => introspection(headers, secret));
  const own = { subject: api, requests, postgresPid: postgres.pid };
  const entries = [
    ...(pgbench
      ? [
          {
            name: 'pgbench',
            load: await prepareCharges(postgres, pgbench, KEYS),
            postgresPid: postgres.pid,
          },
        ]
      : []),
    ...Object.keys(AIMS).map((connections) => ({ ...own, name: connections, connections })),
  ];
  const measured = await measureInTurn(entries, slices);
  return [
    ...(pgbench ? baseRows(measured.get('pgbench')) : []),
    ...Object.keys(AIMS).flatMap((connections) => chargeRows(connections, measured)),
  ];
}

function baseRows(slices) {
  return [
    row(
      'pgbench -c 32, transactions a second',
      slices.map(({ perSec }) => perSec),
    ),
    row(
      '  PostgreSQL, µs a transaction',
      slices.map(({ postgresUs }) => postgresUs),
    ),
  ];
}

function chargeRows(connections, measured) {
  const slices = measured.get(connections);
  const base = measured.get('pgbench');
  if (slices.some(({ errors }) => errors > 0)) throw new Error('some charges failed');
  const ratios = base && slices.map(({ perSec }, round) => perSec / base[round].perSec);
  return [
    row(
      `charges a second, ${connections} connections`,
      slices.map(({ perSec }) => perSec),
    ),
    ...(ratios ? [row('  of pgbench -c 32', ratios, { atLeast: AIMS[connections] })] : []),
    row(
      '  api, µs a charge',
      slices.map(({ cpuUs }) => cpuUs),
    ),
    row(
      '  PostgreSQL, µs a charge',
      slices.map(({ postgresUs }) => postgresUs),
    ),
  ];
}
