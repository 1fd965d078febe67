import { loadFor } from './load.mjs';
import { postgresCpuUs } from './process.mjs';

/** Until the code of a subject is compiled: a request cost a fifth more in the first four seconds than in the third four. */
const WARM_UP_SECS = 8;

/**
 * Measures subjects side by side, see `measureInTurn`. Ratios are taken within a round, against the first subject, and their
 * median is reported.
 */
export async function compare(subjects, options) {
  const slices = await measureInTurn(subjects, options);
  const base = slices.get(subjects[0].name);
  return subjects.map(({ name }) => summarize(name, slices.get(name), base));
}

/**
 * Rounds of short slices in turn, so that a busy stretch of the machine hits all subjects.
 *
 * @param subjects [{name, subject, requests, connections?, postgresPid?}]; what is not a server has `load`, which resolves to what
 *   `loadFor` does, in place of the subject and its requests
 * @returns the slices of each subject, by name
 */
export async function measureInTurn(subjects, { rounds = 5, seconds = 2, connections = 32 } = {}) {
  const slices = new Map(subjects.map(({ name }) => [name, []]));
  for (const entry of subjects) await loadOn(entry, { connections, seconds: WARM_UP_SECS });
  for (let round = 0; round < rounds; round += 1) {
    for (const entry of subjects) slices.get(entry.name).push(await slice(entry, { connections, seconds }));
  }
  return slices;
}

function loadOn({ subject, requests, load, connections }, options) {
  const own = { ...options, ...(connections && { connections }) };
  return load ? load(own) : loadFor(subject.baseUrl, requests, own);
}

async function slice(entry, options) {
  const cpuUs = () => [entry.subject?.cpuUs() ?? 0, entry.postgresPid ? postgresCpuUs(entry.postgresPid) : 0];
  const before = cpuUs();
  const result = await loadOn(entry, options);
  const after = cpuUs();
  return {
    perSec: result.requests / result.seconds,
    cpuUs: (after[0] - before[0]) / result.requests,
    postgresUs: (after[1] - before[1]) / result.requests,
    ...result,
  };
}

function summarize(name, slices, base) {
  const ratios = slices.map(({ perSec }, round) => perSec / base[round].perSec);
  return {
    name,
    ratio: median(ratios),
    ratioLow: Math.min(...ratios),
    ratioHigh: Math.max(...ratios),
    perSec: Math.round(median(slices.map(({ perSec }) => perSec))),
    cpuUs: median(slices.map(({ cpuUs }) => cpuUs)),
    postgresUs: median(slices.map(({ postgresUs }) => postgresUs)),
    p50Ms: median(slices.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(slices.map(({ p99Ms }) => p99Ms)),
    errors: slices.reduce((sum, { errors }) => sum + errors, 0),
    requests: slices.reduce((sum, { requests }) => sum + requests, 0),
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @returns {median, low, high} */
export function spread(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
