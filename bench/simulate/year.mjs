import { BUSY, coresFor, mix, TRAFFIC_ROWS_OF_KEY, usedKeys } from './model.mjs';

const HOURS = 24 * 365;
/** Observed traffic older than 30 days is deleted. */
const TRAFFIC_HOURS = 30 * 24;

/** A small seeded generator (mulberry32): the same seed, the same year. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Replays a year, hour by hour: keys and traffic that grow, days and nights, quiet week-ends, bursts, revocations of
 * single keys and of whole batches.
 */
export function replayYear({ seed, keys: firstKeys, perSec: firstPerSec, growth }, costs) {
  const random = generator(seed);
  const months = [];
  const trafficOfHours = [];
  let stored = { ledger: 0, traffic: 0, voices: 0 };
  for (let hour = 0; hour < HOURS; hour += 1) {
    const grown = growth ** (hour / HOURS);
    const keys = Math.round(firstKeys * grown);
    const day = 1 + 0.6 * Math.sin(((hour % 24) - 8) * (Math.PI / 12));
    const week = Math.floor(hour / 24) % 7 >= 5 ? 0.55 : 1;
    const burst = random() < 0.01 ? 2 + 3 * random() : 1;
    const perSec = firstPerSec * grown * day * week * burst * (0.9 + 0.2 * random());
    const leaked = random() < 1 / 500 ? Math.round(keys * 0.01 * random()) : 0;
    const changes = (keys * 1e-4 * (0.5 + random()) + leaked) / 3_600;
    const apis = Math.max(2, Math.ceil((perSec * 100e-6) / BUSY));
    const load = { ...mix(perSec, { keys, apis }), changes };
    const cores = coresFor(load, costs);
    const trafficRows = usedKeys(keys, perSec * 3_600) * TRAFFIC_ROWS_OF_KEY;
    trafficOfHours.push(trafficRows * costs.trafficRowBytes.value);
    if (trafficOfHours.length > TRAFFIC_HOURS) trafficOfHours.shift();
    stored = {
      ledger: stored.ledger + load.charged * 3_600 * costs.ledgerLineBytes.value,
      traffic: trafficOfHours.reduce((sum, bytes) => sum + bytes, 0),
      voices: stored.voices + load.voices * 3_600 * costs.voiceBytes.value,
    };
    note(months, Math.floor((hour / HOURS) * 12), { keys, perSec, cores, changes, stored, leaked });
  }
  return months;
}

function note(months, index, { keys, perSec, cores, changes, stored, leaked }) {
  const month = (months[index] ??= { requests: 0, peak: 0, cores: {}, changes: 0, leaks: 0 });
  month.keys = keys;
  month.requests += perSec * 3_600;
  month.peak = Math.max(month.peak, perSec);
  month.changes += changes * 3_600;
  month.leaks += leaked > 0 ? 1 : 0;
  month.stored = stored;
  for (const [part, value] of Object.entries(cores))
    month.cores[part] = Math.max(month.cores[part] ?? 0, value);
}
