import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DataSource } from 'typeorm';
import { type AudioStore } from '../../libs/audio-store/audio-store';
import { AUDIO_STORE_PROVIDER } from '../../libs/audio-store/audio-store.provider';
import { loadConfig } from '../../libs/config/app-config';
import { createDataSource } from '../../libs/database/data-source';
import { Preview } from '../../libs/database/voices/preview.entity';
import { AudioObjectRepository } from '../../libs/database/voices/audio-object.repository';
import { newPublicId } from '../../libs/domain/common/public-id';
import { S3Server } from '../support/s3-server';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { storeAudio } from '../support/store-audio';

let database: TestDatabase;
let dataSource: DataSource;
let s3: S3Server;

beforeAll(async () => {
  [database, s3] = await Promise.all([createTestDatabase(), S3Server.start()]);
  dataSource = await createDataSource(database.url, 'test').initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await Promise.all([s3.stop(), database.drop()]);
});

async function storeWith(variables: Record<string, string>): Promise<AudioStore> {
  return AUDIO_STORE_PROVIDER.useFactory(loadConfig(variables), new AudioObjectRepository(dataSource));
}

async function refer(audioDigest: string): Promise<void> {
  await dataSource.manager.insert(Preview, {
    id: newPublicId(randomBytes),
    accountId: randomUUID(),
    keyId: randomUUID(),
    description: 'A voice.',
    text: 'A text.',
    engine: 'test',
    spec: {},
    understood: {},
    language: 'en',
    audioDigest,
    durationSecs: 1,
    requestId: 'request',
    expiresAt: new Date(Date.now() + 60_000),
  });
}

const age = (digest: string) =>
  dataSource.query(`UPDATE audio_object SET created_at = now() - interval '1 day' WHERE digest = $1`, [
    digest,
  ]);

describe.each(['postgres', 's3'])('%s', (kind) => {
  let store: AudioStore;

  beforeAll(async () => {
    store = await storeWith(kind === 's3' ? s3.variables : {});
  });

  beforeEach(async () => {
    await dataSource.query('DELETE FROM preview');
    await dataSource.query(`UPDATE audio_object SET created_at = now() - interval '1 day'`);
    await store.deleteUnreferenced(0);
  });

  it('gives back what was put, whole and in part', async () => {
    const bytes = randomBytes(1_000);
    const { digest, sizeBytes } = await storeAudio(store, bytes, 'audio/mpeg');
    expect(sizeBytes).toBe(1_000);
    expect(await store.find(digest)).toEqual({ digest, mediaType: 'audio/mpeg', sizeBytes, bytes });
    const part = await store.find(digest, { start: 990, end: 999 });
    expect(part?.bytes.equals(bytes.subarray(990))).toBe(true);
    expect(part?.sizeBytes).toBe(1_000);
    expect(await store.describe(digest)).toEqual({ digest, mediaType: 'audio/mpeg', sizeBytes });
  });

  it.each([255_999, 256_000, 256_001, 800_000])('gives back a recording of %d bytes', async (size) => {
    const bytes = randomBytes(size);
    const { digest } = await storeAudio(store, bytes, 'audio/wav');
    expect((await store.find(digest))!.bytes.equals(bytes)).toBe(true);
  });

  it('keeps the same bytes once, and knows nothing of others', async () => {
    const bytes = randomBytes(10);
    const [first, second] = [
      await storeAudio(store, bytes, 'audio/mpeg'),
      await storeAudio(store, bytes, 'audio/mpeg'),
    ];
    expect(first).toEqual(second);
    expect(await store.find('0'.repeat(64))).toBeNull();
    await expect(store.describe('0'.repeat(64))).rejects.toThrow();
  });

  it('deletes what nothing refers to, when its grace has passed', async () => {
    const [gone, young, used] = await Promise.all(
      [1, 2, 3].map(() => storeAudio(store, randomBytes(10), 'audio/mpeg')),
    );
    await refer(used!.digest);
    await age(gone!.digest);
    await age(used!.digest);
    expect(await store.deleteUnreferenced(3_600)).toEqual({ deleted: 1, next: null });
    const found = await Promise.all(
      [gone, young, used].map(async (each) => (await store.find(each!.digest)) !== null),
    );
    expect(found).toEqual([false, true, true]);
  });

  it('deletes at once what nothing refers to any more, and nothing else', async () => {
    const [gone, used] = await Promise.all(
      [1, 2].map(() => storeAudio(store, randomBytes(10), 'audio/mpeg')),
    );
    await refer(used!.digest);
    await store.deleteIfUnused(gone!.digest);
    await store.deleteIfUnused(used!.digest);
    expect(await store.find(gone!.digest)).toBeNull();
    expect(await store.find(used!.digest)).not.toBeNull();
  });

  it('audio that is deleted between staging and keeping is there when it was kept', async () => {
    const staged = await store.stage(randomBytes(10), 'audio/mpeg');
    await store.deleteIfUnused(staged.digest);
    await dataSource.transaction(async (em) => {
      await store.keep(staged, em);
    });
    expect((await store.find(staged.digest))?.bytes.equals(staged.bytes)).toBe(true);
  });

  it('a failed request leaves nothing that is not deleted by itself', async () => {
    const staged = await store.stage(randomBytes(10), 'audio/mpeg');
    const failed = dataSource.transaction(async (em) => {
      await store.keep(staged, em);
      throw new Error('The request fails.');
    });
    await expect(failed).rejects.toThrow('The request fails.');
    expect(await store.check(3_600)).toEqual({ missing: [], orphaned: [] });
    await dataSource.query(`UPDATE audio_object SET created_at = now() - interval '1 day'`);
    await store.deleteUnreferenced(3_600);
    expect(await store.find(staged.digest)).toBeNull();
    expect(await dataSource.query('SELECT FROM audio_object')).toHaveLength(0);
  });

  it('a check names what is missing and what was left behind', async () => {
    await refer('f'.repeat(64));
    const { digest } = await storeAudio(store, randomBytes(10), 'audio/mpeg');
    await age(digest);
    expect(await store.check(3_600)).toEqual({ missing: ['f'.repeat(64)], orphaned: [digest] });
  });
});

describe('s3', () => {
  it('a check finds bytes without a row, and rows without bytes', async () => {
    const store = await storeWith(s3.variables);
    const [known, lost, stranger] = await Promise.all(
      [1, 2, 3].map(() => storeAudio(store, randomBytes(10), 'audio/mpeg')),
    );
    await Promise.all([known, lost].map((each) => refer(each!.digest)));
    await dataSource.query('DELETE FROM audio_object WHERE digest = $1', [stranger!.digest]);
    await dataSource.query('DELETE FROM audio_object WHERE digest = $1', [lost!.digest]);
    const elsewhere = 'a'.repeat(64);
    await dataSource.query(
      `INSERT INTO audio_object (digest, media_type, size_bytes) VALUES ($1, 'audio/mpeg', 10)`,
      [elsewhere],
    );
    const { missing, orphaned } = await store.check(3_600);
    expect(orphaned).toEqual(expect.arrayContaining([lost!.digest, stranger!.digest]));
    expect(orphaned).not.toContain(known!.digest);
    expect(missing).toEqual(expect.arrayContaining([lost!.digest, elsewhere]));
  });

  it('audio from the time before is read from PostgreSQL', async () => {
    const bytes = randomBytes(10);
    const { digest } = await storeAudio(await storeWith({}), bytes, 'audio/mpeg');
    const store = await storeWith(s3.variables);
    expect((await store.find(digest))?.bytes.equals(bytes)).toBe(true);
  });

  it('an object store that is away is 503, and the row of what could not be sent is deleted later', async () => {
    const away = await storeWith({ ...s3.variables, S3_ENDPOINT: 'http://127.0.0.1:9' });
    await expect(storeAudio(away, randomBytes(10), 'audio/mpeg')).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    // What is gone already is not held up by it.
    const { digest } = await storeAudio(await storeWith(s3.variables), randomBytes(10), 'audio/mpeg');
    await expect(away.discard([{ audioDigest: digest }])).resolves.toBeUndefined();
    const denied = await storeWith({ ...s3.variables, S3_BUCKET: 'no-such-bucket' });
    await expect(storeAudio(denied, randomBytes(10), 'audio/mpeg')).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });

  it('a recording whose bytes stop coming is 503, and not waited for', async () => {
    const { digest } = await storeAudio(await storeWith(s3.variables), randomBytes(1_000), 'audio/mpeg');
    const stalling = createServer((_, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write(randomBytes(100));
    }).listen(0, '127.0.0.1');
    await once(stalling, 'listening');
    try {
      const { port } = stalling.address() as AddressInfo;
      const store = await storeWith({ ...s3.variables, S3_ENDPOINT: `http://127.0.0.1:${port}` });
      await expect(store.find(digest)).rejects.toMatchObject({ code: 'service_unavailable' });
    } finally {
      stalling.closeAllConnections();
      stalling.close();
    }
  }, 20_000);

  it.each([
    [{ AUDIO_STORE: 's3' }, /S3_BUCKET is not set/],
    [{ AUDIO_STORE: 's3', S3_BUCKET: 'abc', S3_ACCESS_KEY_ID: 'a' }, /S3_SECRET_ACCESS_KEY is not set/],
    [{ AUDIO_STORE: 'disk' }, /"disk" is not accepted; give postgres or s3/],
  ])('the configuration %j is refused', (variables, message) => {
    expect(() => loadConfig(variables)).toThrow(message);
  });
});
