import { randomBytes } from 'node:crypto';
import { CLIP, CLIP_BELOW, findClip } from '../../libs/audio/fingerprints/find-clip';
import { fingerprintRecording, toSteps } from '../../libs/audio/fingerprints/recording-fingerprint';
import type { Pcm } from '../../libs/audio/codecs/pcm';
import { HistoryFingerprintRepository } from '../../libs/database/history/history-fingerprint.repository';
import { newPublicId } from '../../libs/domain/common/public-id';
import { FliteEngine } from '../../libs/voice-engine/flite.engine';
import { renderVoice } from '../../libs/voice-engine/render-voice';
import { cut, encoded, WAYS } from '../support/audio/clips';
import { seededRandom } from '../support/audio/signals';
import { databaseOfFile } from '../support/test-database';

const ITEMS = 100_000;
const TEXTS = 24;
const random = seededRandom(7);
const WORDS =
  `harbour quiet morning boats fog moved slowly over sea window garden river mountain letter market people shout price apples
  clock evening doctor answer phone number account balance please wait agent call minute important thank order delivery tomorrow
  weather north wind rain sun street house children school teacher story begins winter summer travel train ticket platform seven
  leaves nine station coffee kitchen dinner friend remember forget always never something yellow orange purple silver golden
  simple strange machine engine power water system paper office building future history music violin piano concert night`.split(
    /\s+/,
  );
const DESCRIPTIONS = [
  'A calm older man with a deep voice',
  'A bright young woman who speaks fast',
  'A warm middle-aged woman, slow',
  'A gruff man, energetic',
  'A soft young man',
  'An old woman, high voice',
  'A robotic low voice',
  'A formal British man',
];

interface Spoken {
  id: string;
  sound: Pcm;
  steps: Uint32Array;
  keys: Int32Array;
}

const database = databaseOfFile();
const repository = () => new HistoryFingerprintRepository(database.dataSource);
const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)]!;
const text = () => `${Array.from({ length: 18 }, () => pick(WORDS)).join(' ')}.`;

/** What is looked for, each text by two voices; and what else was spoken, of which the other items consist. */
let spoken: Spoken[];
let others: Spoken[];

beforeAll(async () => {
  const engine = new FliteEngine();
  const voices = DESCRIPTIONS.flatMap((description, seed) =>
    engine
      .plan({
        accountId: 'test',
        description,
        text: 'x'.repeat(100),
        seed,
        loudness: 0,
        guidanceScale: 50,
        quality: null,
        outputFormat: 'mp3_44100_128',
        storedFormat: 'mp3_44100_128',
      })
      .map(({ spec }) => spec),
  );
  const speak = async (words: string, voice: number): Promise<Spoken> => {
    const sound = await encoded(renderVoice(words, voices[voice % voices.length]!), 'mp3_44100_128');
    const { steps, keys } = fingerprintRecording(sound.samples, sound.sampleRate);
    return { id: newPublicId(randomBytes), sound, steps, keys };
  };
  spoken = [];
  others = [];
  for (let n = 0; n < TEXTS; n++) {
    const words = text();
    spoken.push(await speak(words, n), await speak(words, n + 7));
  }
  for (let n = 0; n < 60; n++) others.push(await speak(text(), n));
  await fill();
}, 600_000);

/** Items of parts of what was really spoken: as the keys of speech are spread, so they are here. */
async function fill(): Promise<void> {
  const { dataSource } = database;
  const [account] = await dataSource.query<{ id: string }[]>(
    `INSERT INTO account (id, name, tier) VALUES (gen_random_uuid(), 'Clips', 'pro') RETURNING id`,
  );
  const add = async (rows: Pick<Spoken, 'id' | 'steps' | 'keys'>[]) => {
    await dataSource.query(
      `INSERT INTO history_item (id, account_id, key_id, voice_id, voice_name, model_id, text, settings, characters, characters_before,
         media_type, output_format, request_id)
       SELECT id, $2, gen_random_uuid(), 'v', 'Harbour', 'm', 'text', '{}', 1, 0, 'audio/mpeg', 'mp3_44100_128', id FROM unnest($1::text[]) id`,
      [rows.map(({ id }) => id), account!.id],
    );
    await dataSource.query(
      `UPDATE history_fingerprint f SET due_at = NULL, steps = r.steps, keys = r.keys::int[]
       FROM unnest($1::text[], $2::bytea[], $3::text[]) AS r (id, steps, keys) WHERE f.history_item_id = r.id`,
      [
        rows.map(({ id }) => id),
        rows.map(({ steps }) => Buffer.from(steps.buffer, steps.byteOffset, steps.byteLength)),
        rows.map(({ keys }) => `{${keys.join()}}`),
      ],
    );
  };
  for (let done = 0; done < ITEMS; done += 1_000) await add(Array.from({ length: 1_000 }, joinedItem));
  await add(spoken);
  await dataSource.query('ANALYZE history_fingerprint');
}

function joinedItem(): Pick<Spoken, 'id' | 'steps' | 'keys'> {
  const steps: number[] = [];
  const keys = new Set<number>();
  for (let part = 0; part < 8; part++) {
    const from = pick(others);
    const own = new Set(from.keys);
    const start = Math.floor(random() * Math.max(1, from.steps.length - 60));
    for (const step of from.steps.subarray(start, start + 60)) {
      steps.push(step);
      if (own.has(step | 0)) keys.add(step | 0);
    }
  }
  return { id: newPublicId(randomBytes), steps: Uint32Array.from(steps), keys: Int32Array.from(keys) };
}

const clipOf = ({ sound }: Spoken, secs: number) =>
  cut(sound, 0.2 + random() * (sound.samples.length / sound.sampleRate - secs - 0.4), secs);
const heardAs = async (clip: Pcm, way: string) => {
  const { samples, sampleRate } = await WAYS[way]!(clip);
  return fingerprintRecording(samples, sampleRate, CLIP);
};

/** The least share of clips that are found among all items, by how long they are and what became of them. */
const LEAST = Object.keys(WAYS).flatMap((way) => [
  { way, secs: 2, least: way.startsWith('loudspeaker') ? 0.1 : 0.95 },
  { way, secs: 5, least: way.endsWith('-10 dB') ? 0.2 : way.startsWith('loudspeaker') ? 0.5 : 1 },
]);

it.each(LEAST)(
  `among ${ITEMS} items, clips of $secs s are found in a second: $way`,
  async ({ way, secs, least }) => {
    let [found, slowestMs] = [0, 0];
    for (const item of spoken) {
      const { steps, lookups } = await heardAs(clipOf(item, secs), way);
      const startedAt = performance.now();
      const candidates = (await repository().findCandidates(lookups)) ?? [];
      const alike = candidates
        .map((candidate) => ({ id: candidate.id, similarity: findClip(steps, toSteps(candidate.steps)) }))
        .filter(({ similarity }) => similarity && similarity.bitErrorRate < CLIP_BELOW);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      if (alike.some(({ id }) => id === item.id)) found += 1;
      // The others are joined of what was really spoken, and may repeat a word of the same voice.
      expect(alike.filter(({ id }) => id !== item.id && spoken.some((each) => each.id === id))).toEqual([]);
    }
    process.stdout.write(
      `${way}, ${secs} s: ${found} of ${spoken.length}, slowest ${slowestMs.toFixed(0)} ms\n`,
    );
    expect(found / spoken.length).toBeGreaterThanOrEqual(least);
    expect(slowestMs).toBeLessThan(1_000);
  },
  600_000,
);

it('of 10,000 comparisons with what another voice says, or the same one of something else, none is taken for the same', async () => {
  let [compared, closest] = [0, 1];
  for (const way of Object.keys(WAYS))
    for (const [n, item] of spoken.entries()) {
      const { steps } = await heardAs(clipOf(item, 2), way);
      const sibling = spoken[n ^ 1]!;
      for (const other of [sibling, ...others.slice(0, 29)]) {
        closest = Math.min(closest, findClip(steps, other.steps)?.bitErrorRate ?? 1);
        compared += 1;
      }
    }
  process.stdout.write(
    `${compared} comparisons, the most alike differ in ${closest.toFixed(3)} of their bits\n`,
  );
  expect(compared).toBeGreaterThanOrEqual(10_000);
  expect(closest).toBeGreaterThan(CLIP_BELOW);
}, 600_000);
