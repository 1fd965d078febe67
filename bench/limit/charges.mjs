import { measureInTurn } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { BARE_NEST } from '../lib/verifying.mjs';
import { introspection, introspectionBatch, serviceHeaders } from '../lib/introspection.mjs';
import { Subject } from '../lib/process.mjs';
import { row } from './row.mjs';
import { findPgbench, prepareCharges } from './pgbench.mjs';

const KEYS = 1_000;
const PLENTY = 2 ** 40;
const AIMS = { 32: 0.65, 256: 0.9 };
/** Of the api for a charge, of a bare Nest POST. */
const CPU_AIM = 2;
const BATCH = 100;

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
  const bare = await Subject.start(BARE_NEST);
  running.push(bare);
  const headers = await serviceHeaders(bench.url, api.baseUrl);
  const requests = bench.keys.map(({ secret }) => introspection(headers, secret));
  const own = { subject: api, requests, postgresPid: postgres.pid };
  const secrets = bench.keys.map(({ secret }) => secret);
  const batches = secrets.map((_, n) =>
    introspectionBatch(
      headers,
      Array.from({ length: BATCH }, (__, k) => secrets[(n + k) % KEYS]),
    ),
  );
  const without = secrets.map((secret) => introspection(headers, secret, null));
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
    { name: 'bare', subject: bare, requests },
    { ...own, name: 'batches', connections: 32, requests: batches },
    { ...own, name: 'without a cost', connections: 32, requests: without },
  ];
  const measured = await measureInTurn(entries, slices);
  return [
    ...(pgbench ? baseRows(measured.get('pgbench')) : []),
    ...Object.keys(AIMS).flatMap((connections) => chargeRows(connections, measured)),
    ...bareRows(measured),
    ...batchRows(measured),
    ...withoutCostRows(measured),
  ];
}

function bareRows(measured) {
  const [bare, charges] = [measured.get('bare'), measured.get('32')];
  return [
    row(
      'bare Nest POST, µs',
      bare.map(({ cpuUs }) => cpuUs),
    ),
    row(
      '  api for a charge, of it, 32 connections',
      charges.map(({ cpuUs }, round) => cpuUs / bare[round].cpuUs),
      { atMost: CPU_AIM },
    ),
  ];
}

function batchRows(measured) {
  const slices = measured.get('batches');
  const base = measured.get('pgbench');
  if (slices.some(({ errors }) => errors > 0)) throw new Error('some batches failed');
  const charges = slices.map(({ perSec }) => perSec * BATCH);
  const ratios = base && charges.map((perSec, round) => perSec / base[round].perSec);
  return [
    row(`charges a second, in batches of ${BATCH}`, charges),
    ...(ratios ? [row('  of pgbench -c 32', ratios, { atLeast: 2 })] : []),
  ];
}

/** Processor time of the api and PostgreSQL together. */
function withoutCostRows(measured) {
  const [without, charges] = [measured.get('without a cost'), measured.get('32')];
  const cost = ({ cpuUs, postgresUs }) => cpuUs + postgresUs;
  return [
    row(
      'introspection without a cost, µs',
      without.map((slice) => cost(slice)),
    ),
    row(
      '  of a charge, 32 connections',
      without.map((slice, round) => cost(slice) / cost(charges[round])),
      { atMost: 0.7 },
    ),
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
