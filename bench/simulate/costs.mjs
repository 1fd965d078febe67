import { existsSync, readFileSync } from 'node:fs';

const LATEST = new URL('../results/latest.json', import.meta.url);

/**
 * What one of each costs, as measured on 2 cores (`npm run bench -- auth credits growth review proxy`). Results that are there in
 * bench/results/latest.json take their place.
 */
const MEASURED = {
  verifyApiUs: { value: 130, what: 'CPU of an api for a verified request, µs' },
  chargeApiUs: { value: 165, what: 'CPU of an api for an introspection with a charge, µs' },
  chargePostgresUs: { value: 115, what: 'CPU of PostgreSQL for it, µs' },
  keyReadPostgresUs: { value: 590, what: 'CPU of PostgreSQL to read a key that is not cached, µs' },
  reviewWorkerMs: { value: 107, what: 'CPU of a worker for a review of 10 s, ms' },
  designApiMs: { value: 790, what: 'CPU of the embedded engine for three previews of 100 characters, ms' },
  // 10 million lines of 1,000 accounts with 10 keys each.
  ledgerLineBytes: { value: 171, what: 'bytes of a ledger line with its indexes' },
  proxyUs: { value: 18, what: 'CPU of the proxy in front of cells for a request, µs' },
  // All CPU of PostgreSQL while four processes verify 58,400 requests a second of 1,000 keys each, by rows stored.
  trafficRowUs: { value: 42, what: 'CPU of PostgreSQL to store more of the same traffic of a key, µs' },
  trafficRowBytes: { value: 580, what: 'bytes of a row of observed traffic with its indexes' },
};

/** Not measured by the bench, but known from how it works; see docs/scaling.md. */
const ASSUMED = {
  createPostgresUs: {
    value: 3_000,
    what: 'CPU of PostgreSQL for a stored voice, its delivery and its review, µs',
  },
  notifyPostgresUs: { value: 20, what: 'CPU of PostgreSQL to announce a change to one process, µs' },
  voiceBytes: { value: 260_000, what: 'bytes of a stored voice with its recording' },
};

/** Every cost with where it comes from. */
export function readCosts() {
  const found = existsSync(LATEST) ? fromResults(JSON.parse(readFileSync(LATEST, 'utf8'))) : {};
  const rows = Object.entries(MEASURED).map(([name, { value, what }]) => {
    const latest = found[name];
    return [
      name,
      {
        value: latest ?? value,
        what,
        from: latest === undefined ? 'measured on 2 cores' : 'latest.json',
      },
    ];
  });
  const assumed = Object.entries(ASSUMED).map(([name, cost]) => [name, { ...cost, from: 'assumed' }]);
  return Object.fromEntries([...rows, ...assumed]);
}

function fromResults({ parts }) {
  const row = (part, test) => parts[part]?.rows.find(test);
  const verify = row('auth', ({ name }) => name === 'Greenroom GET /v1/models, 1,000 keys');
  const charge = row(
    'credits',
    (each) => each.connections === 256 && each.name === 'Greenroom /introspect, 1,000 keys',
  );
  const review = row('review', ({ measure }) => measure === 'CPU of an MP3 file');
  const growth = row('growth', ({ keys }) => keys === 1_000_000);
  const proxy = row('proxy', ({ name }) => name === 'a key, by its cell');
  const known = {
    proxyUs: proxy?.proxyCpuUs,
    keyReadPostgresUs: growth?.firstPostgresUs,
    verifyApiUs: verify?.cpuUs,
    chargeApiUs: charge?.cpuUs,
    chargePostgresUs: charge?.postgresUs,
    reviewWorkerMs: review && Number.parseFloat(review.median),
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => Number.isFinite(value)));
}
