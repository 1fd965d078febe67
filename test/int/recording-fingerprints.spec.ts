import type { DataSource } from 'typeorm';
import { createDataSource } from '../../libs/database/data-source';
import { RecordingFingerprintRepository } from '../../libs/database/reviews/recording-fingerprint.repository';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const OTHERS = 5_000;
const LOOKUPS = Int32Array.from({ length: 400 }, (_, n) => n);

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** How often all fingerprints were read, one after the other. */
async function scans(): Promise<number> {
  await dataSource.query('SELECT pg_stat_force_next_flush()');
  const [row] = await dataSource.query<{ scans: number }[]>(
    `SELECT seq_scan::int AS scans FROM pg_stat_user_tables WHERE relname = 'recording_fingerprint'`,
  );
  return row!.scans;
}

it('finds the recording that shares most among thousands, by the index', async () => {
  await dataSource.query(
    `INSERT INTO audio_object (digest, media_type, size_bytes) SELECT 'other ' || n, 'audio/wav', 0 FROM generate_series(1, $1) n`,
    [OTHERS],
  );
  await dataSource.query(
    `INSERT INTO recording_fingerprint (audio_digest, steps, keys)
     SELECT 'other ' || n, '', ARRAY(SELECT hashint4(n * 100 + k) % 1000000 FROM generate_series(1, 80) k)
     FROM generate_series(1, $1) n`,
    [OTHERS],
  );
  const fingerprints = new RecordingFingerprintRepository(dataSource);
  await dataSource.query(
    `INSERT INTO audio_object (digest, media_type, size_bytes) VALUES ('alike', 'audio/wav', 0)`,
  );
  await fingerprints.store('alike', Buffer.alloc(4), LOOKUPS.subarray(0, 60));
  await dataSource.query('ANALYZE recording_fingerprint');
  const before = await scans();
  const candidates = await fingerprints.findCandidates('the copy', LOOKUPS);
  expect(candidates?.[0]?.id).toBe('alike');
  expect(await scans()).toBe(before);
});
