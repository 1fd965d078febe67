import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { newPublicId } from '../../libs/domain/common/public-id';
import { RecordingFingerprintRepository } from '../../libs/database/reviews/recording-fingerprint.repository';
import { BlockedRecordingRepository } from '../../libs/database/reviews/blocked-recording.repository';
import { VoiceRepository } from '../../libs/database/voices/voice.repository';
import { eventually } from '../support/eventually';
import { newSample, newVoice } from '../support/review-bench';
import { databaseOfFile } from '../support/test-database';

const OTHERS = 5_000;
/** The index takes 80 entries of each: few enough for a statement's time on a slow disk. */
const AT_ONCE = 500;
const LOOKUPS = Int32Array.from({ length: 400 }, (_, n) => n);

const database = databaseOfFile();

/** How often all fingerprints were read, one after the other. */
async function scans(): Promise<number> {
  await database.dataSource.query('SELECT pg_stat_force_next_flush()');
  const [row] = await database.dataSource.query<{ scans: number }[]>(
    `SELECT seq_scan::int AS scans FROM pg_stat_user_tables WHERE relname = 'recording_fingerprint'`,
  );
  return row!.scans;
}

async function storeOthers(first: number): Promise<void> {
  const numbers = [first, first + AT_ONCE - 1];
  await database.dataSource.query(
    `INSERT INTO audio_object (digest, media_type, size_bytes) SELECT 'other ' || n, 'audio/wav', 0 FROM generate_series($1::int, $2) n`,
    numbers,
  );
  await database.dataSource.query(
    `INSERT INTO recording_fingerprint (audio_digest, steps, keys)
     SELECT 'other ' || n, '', ARRAY(SELECT hashint4(n * 100 + k) % 1000000 FROM generate_series(1, 80) k)
     FROM generate_series($1::int, $2) n`,
    numbers,
  );
}

it('finds the recording that shares most among thousands, by the index', async () => {
  for (let first = 1; first <= OTHERS; first += AT_ONCE) await storeOthers(first);
  const fingerprints = new RecordingFingerprintRepository(database.dataSource);
  await database.dataSource.query(
    `INSERT INTO audio_object (digest, media_type, size_bytes) VALUES ('alike', 'audio/wav', 0)`,
  );
  await fingerprints.store('alike', Buffer.alloc(4), LOOKUPS.subarray(0, 60));
  await database.dataSource.query('ANALYZE recording_fingerprint');
  const before = await scans();
  const candidates = await fingerprints.findCandidates('the copy', LOOKUPS);
  expect(candidates?.[0]?.id).toBe('alike');
  expect(await scans()).toBe(before);
});

describe('the no-go list', () => {
  let fingerprints: RecordingFingerprintRepository;
  let blockedRecordings: BlockedRecordingRepository;

  beforeAll(() => {
    fingerprints = new RecordingFingerprintRepository(database.dataSource);
    blockedRecordings = new BlockedRecordingRepository(database.dataSource);
  });

  /** A voice that has not been reviewed; its audio has the digest of its id. */
  async function storeVoice(): Promise<string> {
    const id = newPublicId(randomBytes);
    await database.dataSource.query(
      `INSERT INTO audio_object (digest, media_type, size_bytes) VALUES ($1, 'audio/wav', 0)`,
      [id],
    );
    await database.dataSource.transaction(async (em) =>
      new VoiceRepository(database.dataSource).insert(newVoice(id, 'request'), [newSample(id, 0)], em),
    );
    return id;
  }

  const list = (id: string, em?: EntityManager): Promise<boolean> =>
    em
      ? blockedRecordings.add(id, { reason: 'A test', setBy: 'test' }, em)
      : database.dataSource.transaction(async (own) => list(id, own));
  const review = (digest: string, key: number) =>
    fingerprints.store(digest, Buffer.alloc(4), Int32Array.of(key));
  const found = async (key: number) =>
    (await blockedRecordings.findCandidates('another', Int32Array.of(key)))?.map(({ id }) => id);

  it('has the fingerprint of a recording that was put on it before its review', async () => {
    const id = await storeVoice();
    expect(await list(id)).toBe(true);
    expect(await found(-1)).toEqual([]);
    await review(id, -1);
    expect(await found(-1)).toEqual([id]);
    expect(await list(id)).toBe(false);
  });

  it('gets the fingerprint of a recording that is put on it once more', async () => {
    const id = await storeVoice();
    await review(id, -2);
    await list(id);
    await database.dataSource.query(
      `UPDATE no_go_recording SET steps = NULL, keys = '{}' WHERE voice_id = $1`,
      [id],
    );
    expect(await list(id)).toBe(true);
    expect(await found(-2)).toEqual([id]);
  });

  it('has the fingerprint of a recording that is reviewed while it is put there', async () => {
    const id = await storeVoice();
    const reviewing = await database.dataSource.transaction(async (em) => {
      await list(id, em);
      const stored = review(id, -3);
      const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => expect(await database.dataSource.query(waits)).toHaveLength(1));
      return { stored };
    });
    await reviewing.stored;
    expect(await found(-3)).toEqual([id]);
  });

  it('is searched for a second at the most', async () => {
    await database.dataSource.transaction(async (em) => {
      await em.query('LOCK TABLE no_go_recording IN ACCESS EXCLUSIVE MODE');
      expect(await blockedRecordings.findCandidates('another', LOOKUPS)).toBeNull();
    });
  });
});
