import { loadavg } from 'node:os';
import { spread } from '../lib/compare.mjs';

/**
 * A row of the results: the readings of all rounds, what they should be, and the load of the machine in the last minute.
 *
 * @param aim {atLeast} or {atMost}; the median has to meet it
 */
export function row(name, readings, { atLeast, atMost } = {}) {
  const { median, low, high } = spread(readings);
  const base = { name, median, low, high, rounds: readings.length };
  const load = Math.round(loadavg()[0] * 10) / 10;
  if (atLeast !== undefined) return { ...base, aim: `≥ ${atLeast}`, met: verdict(median >= atLeast), load };
  if (atMost !== undefined) return { ...base, aim: `≤ ${atMost}`, met: verdict(median <= atMost), load };
  return { ...base, aim: null, met: null, load };
}

const verdict = (isMet) => (isMet ? 'yes' : 'no');
