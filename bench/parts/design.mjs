import { percentile } from '../lib/compare.mjs';
import { prepareGreenroom, startApi, startWorker } from '../lib/greenroom.mjs';
import {
  design,
  DESCRIPTIONS,
  firstByte,
  firstOfStreamed,
  repeat,
  send,
  SENTENCE,
  TEXT,
  timed,
} from '../lib/designing.mjs';
import { startPostgres } from '../lib/postgres.mjs';

/** About a minute of speech. */
const LONG_TEXT = SENTENCE.repeat(10).slice(0, 1_000);
const AT_ONCE = 16;

/** From a description to a reviewed voice: how long a customer waits for each step. */
export async function run({ quick }) {
  const rounds = quick ? 4 : 30;
  const postgres = await startPostgres();
  const running = [];
  try {
    const bench = await prepareGreenroom(postgres, 'design', {
      keys: 1,
      permissions: 'all',
      concurrency: 10,
    });
    const api = await startApi(bench.url, {}, { alone: false });
    running.push(api);
    const caller = { baseUrl: api.baseUrl, key: bench.keys[0].secret };
    const rows = [];
    const designs = await repeat(rounds, () => design(caller, TEXT));
    rows.push(row('design, 200 characters, 3 previews', designs));
    rows.push(row('  meanwhile: GET /v1/models', await whileDesigning(caller, rounds)));
    const atOnce = await Promise.all(
      Array.from({ length: AT_ONCE }, () => timed(() => design(caller, TEXT))),
    );
    rows.push(row(`design, ${AT_ONCE} at once`, atOnce));
    rows.push(row('design, streamed, to the first byte of a preview', await firstOfStreamed(caller, rounds)));
    const long = await design(caller, LONG_TEXT);
    rows.push(
      row('first byte of a preview of a minute', await repeat(rounds, () => firstByte(caller, long[0]))),
    );
    const previews = designs.flatMap(({ result }) => result ?? []);
    rows.push(row('create a voice', await repeat(rounds, () => create(caller, previews.pop()))));
    running.push(await startWorker(bench.url));
    // The voices created above wait in line before those that are measured.
    rows.push(row(`  ${rounds} that waited, reviewed`, [await timed(() => untilReviewed(caller))]));
    rows.push(
      row('from create to reviewed', await repeat(rounds, () => createAndWait(caller, previews.pop()))),
    );
    return {
      title: 'Making voices, one api',
      rows,
      remarks: ['Refused: 429, over the concurrent generations of the account.'],
    };
  } finally {
    for (const process of running) await process.stop();
    await postgres.stop();
  }
}

/** How long others wait while speech is generated: the event loop must stay free. */
async function whileDesigning(caller, rounds) {
  let on = true;
  const designing = (async () => {
    while (on) await design(caller, TEXT);
  })();
  const waits = await repeat(rounds * 10, () => send(caller, 'GET', '/v1/models'));
  on = false;
  await designing;
  return waits;
}

async function create(caller, id) {
  const body = { voice_name: 'Bench', voice_description: DESCRIPTIONS[0], generated_voice_id: id };
  return send(caller, 'POST', '/v1/text-to-voice', body);
}

async function createAndWait(caller, id) {
  const { voice_id: voiceId } = await create(caller, id);
  for (;;) {
    const { labelling_status: status } = await send(caller, 'GET', `/v1/voices/${voiceId}`);
    if (status === 'review_complete') return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until no voice of the caller is in review. */
async function untilReviewed(caller) {
  for (;;) {
    const { voices } = await send(caller, 'GET', '/v1/voices');
    if (voices.every(({ labelling_status: status }) => status === 'review_complete')) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function row(name, results) {
  const ms = results.filter(({ refused }) => !refused).map((each) => each.ms);
  return {
    name,
    p50Ms: percentile(ms, 0.5),
    p95Ms: percentile(ms, 0.95),
    maxMs: Math.max(...ms),
    times: ms.length,
    refused: results.length - ms.length,
  };
}
