import { loadFor } from './load.mjs';
import { postgresCpuUs } from './process.mjs';

/** Until the code of a subject is compiled: a request cost a fifth more in the first four seconds than in the third four. */
const WARM_UP_SECS = 8;

/**
 * Measures subjects side by side: rounds of short slices in turn, so that a busy stretch of the machine hits all of them.
 * Ratios are taken within a round, against the first subject, and their median is reported.
 *
 * @param subjects [{name, subject, requests, postgresPid?}]
 */
export async function compare(subjects, { rounds = 5, seconds = 2, connections = 32 } = {}) {
  const slices = new Map(subjects.map(({ name }) => [name, []]));
  for (const entry of subjects)
    await loadFor(entry.subject.baseUrl, entry.requests, { connections, seconds: WARM_UP_SECS });
  for (let round = 0; round < rounds; round += 1) {
    for (const entry of subjects) slices.get(entry.name).push(await slice(entry, { connections, seconds }));
  }
  const base = slices.get(subjects[0].name);
  return subjects.map(({ name }) => summarize(name, slices.get(name), base));
}

async function slice({ subject, requests, postgresPid }, options) {
  const before = [subject.cpuUs(), postgresPid ? postgresCpuUs(postgresPid) : 0];
  const result = await loadFor(subject.baseUrl, requests, options);
  const after = [subject.cpuUs(), postgresPid ? postgresCpuUs(postgresPid) : 0];
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

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
