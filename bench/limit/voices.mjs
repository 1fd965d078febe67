import { percentile } from '../lib/compare.mjs';
import { design, firstOfStreamed, repeat, TEXT, timed } from '../lib/designing.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { reviewCpuMs, shortRecordings } from '../review/speed.mjs';
import { row } from './row.mjs';

const AT_ONCE = 16;
const DESIGNS = 5;
const REVIEWS = 8;
const AIMS = { previewsSecs: 0.35, atOnceSecs: 2.3, firstByteSecs: 0.15, reviewMs: 75 };

/** Previews alone, streamed and sixteen at once, in turn. */
export async function measurePreviews({ postgres, running, slices: { rounds } }) {
  const bench = await prepareGreenroom(postgres, 'limit_previews', {
    keys: 1,
    permissions: 'all',
    concurrency: 10,
  });
  const api = await startApi(bench.url, {}, { alone: false });
  running.push(api);
  const caller = { baseUrl: api.baseUrl, key: bench.keys[0].secret };
  await repeat(DESIGNS, () => design(caller, TEXT));
  const readings = { alone: [], streamed: [], atOnce: [] };
  for (let round = 0; round < rounds; round += 1) {
    readings.alone.push(...(await repeat(DESIGNS, () => design(caller, TEXT))));
    readings.streamed.push(...(await firstOfStreamed(caller, DESIGNS)));
    readings.atOnce.push(await sixteenAtOnce(caller));
  }
  const secs = (results) => results.map(({ ms }) => ms / 1_000);
  return [
    row('three previews, s', secs(readings.alone), { atMost: AIMS.previewsSecs }),
    row(`three previews, ${AT_ONCE} at once, p50 of those served, s`, readings.atOnce, {
      atMost: AIMS.atOnceSecs,
    }),
    row('streamed, from the design to the first byte, s', secs(readings.streamed), {
      atMost: AIMS.firstByteSecs,
    }),
  ];
}

/** An account may have ten at once; the others are refused. */
async function sixteenAtOnce(caller) {
  const results = await Promise.all(Array.from({ length: AT_ONCE }, () => timed(() => design(caller, TEXT))));
  const served = results.filter(({ refused }) => !refused);
  return percentile(
    served.map(({ ms }) => ms / 1_000),
    0.5,
  );
}

/** CPU of measuring ten seconds of speech, both formats in turn. */
export async function measureReviews({ slices: { rounds } }) {
  const recordings = await shortRecordings();
  const readings = { wav: [], mp3: [] };
  for (let round = 0; round < Math.ceil(rounds / 2); round += 1)
    for (const [format, bytes] of Object.entries(recordings))
      readings[format].push(...(await reviewCpuMs(bytes, REVIEWS)).readings);
  return Object.entries(readings).map(([format, ms]) =>
    row(`review of 10 s as ${format}, CPU, ms`, ms, { atMost: AIMS.reviewMs }),
  );
}
