/** Parts of an installation are planned to be this busy at the most, so that a peak or a lost machine causes no outage. */
export const BUSY = 0.6;
/** How long a process keeps a key that does not change: an hour at the most, an eighth less on average. */
export const KEPT_SECS = 3_150;
/** A process stores what a key does once more after this time. What is new is stored at once, which is part of the reading of a key. */
const FLUSH_SECS = 8;
/** Addresses times operations of a key. */
export const TRAFFIC_ROWS_OF_KEY = 3;
const GROUPS = 200;

/** Share of the traffic of each of GROUPS equally large groups of keys: few keys do most of it (Zipf). */
const WEIGHTS = (() => {
  const raw = Array.from({ length: GROUPS }, (_, i) => 1 / (i + 1));
  const sum = raw.reduce((a, b) => a + b);
  return raw.map((weight) => weight / sum);
})();

/** Keys that are used at least once among so many requests. */
export function usedKeys(keys, requests) {
  const inGroup = keys / GROUPS;
  return WEIGHTS.reduce((sum, weight) => sum + inGroup * (1 - Math.exp((-requests * weight) / inGroup)), 0);
}

/**
 * How many cores each part needs for a load.
 *
 * @param load.requests verified requests a second, of which `charged` are charged
 * @param load.designs, load.voices previews requested, and voices created and reviewed, a second
 * @param load.keys keys that there are; load.changes changes to keys a second
 * @param load.apis api processes, which share the requests and receive every change
 */
export function coresFor(load, costs, options = {}) {
  const { requests, charged, designs, voices, keys, changes, apis } = load;
  const free = requests - charged;
  const ofEach = requests / apis;
  const reads = (apis * usedKeys(keys, ofEach * KEPT_SECS)) / KEPT_SECS;
  const trafficRows = (apis * usedKeys(keys * TRAFFIC_ROWS_OF_KEY, ofEach * FLUSH_SECS)) / FLUSH_SECS;
  const postgresUs =
    charged * costs.chargePostgresUs.value +
    reads * costs.keyReadPostgresUs.value +
    voices * costs.createPostgresUs.value +
    changes * apis * costs.notifyPostgresUs.value +
    trafficRows * costs.trafficRowUs.value;
  return {
    api: (free * costs.verifyApiUs.value + charged * costs.chargeApiUs.value) / 1e6,
    postgres: postgresUs / 1e6,
    engine: options.speechServer ? 0 : (designs * costs.designApiMs.value) / 1e3,
    worker: (voices * costs.reviewWorkerMs.value) / 1e3,
  };
}

/** The usual mix at a rate of requests: one in three is charged, one design in 2,000, a voice from a third of those. */
export function mix(requests, { keys, apis }) {
  return {
    requests,
    charged: requests / 3,
    designs: requests / 2_000,
    voices: requests / 6_000,
    keys,
    changes: keys / 1e6,
    apis,
  };
}

/** The greatest load at which no part is busier than planned, and the part that is. */
export function capacity(shape, costs) {
  const uses = (requests) => {
    const cores = coresFor(mix(requests, shape), costs, shape);
    return Object.entries(shape.cores).map(([part, has]) => ({
      part,
      busy: part.split('+').reduce((sum, name) => sum + cores[name], 0) / has,
    }));
  };
  let [low, high] = [0, 1e9];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (uses(middle).every(({ busy }) => busy <= BUSY)) low = middle;
    else high = middle;
  }
  const [first, second] = uses(low).toSorted((a, b) => b.busy - a.busy);
  return {
    requests: low,
    first: first.part,
    second: second ? `${second.part} ${Math.round(second.busy * 100)} %` : '',
  };
}
