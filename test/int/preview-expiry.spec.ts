import { Logger } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { nextOf } from '../../apps/worker/src/loop';
import { PreviewExpiry } from '../../apps/worker/src/housekeeping/preview-expiry';
import type { AudioStore } from '../../libs/audio-store/audio-store';
import { PostgresAudioStore } from '../../libs/audio-store/postgres-audio-store';
import { createDataSource } from '../../libs/database/data-source';
import { AudioObjectRepository } from '../../libs/database/voices/audio-object.repository';
import { Preview } from '../../libs/database/voices/preview.entity';
import { IdempotencyRepository } from '../../libs/database/common/idempotency.repository';
import { PreviewRepository } from '../../libs/database/voices/preview.repository';
import { VoiceRepository } from '../../libs/database/voices/voice.repository';
import { newPublicId } from '../../libs/domain/common/public-id';
import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { storeAudio } from '../support/store-audio';

describe('expiry', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let audio: AudioStore;
  let expiry: PreviewExpiry;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    dataSource = await createDataSource(database.url, 'test').initialize();
    audio = new PostgresAudioStore(new AudioObjectRepository(dataSource));
    const requests = new IdempotencyRepository(dataSource);
    expiry = new PreviewExpiry(new PreviewRepository(dataSource), audio, requests);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const bytes = () => randomBytes(64);
  const exists = async (digest: string) => (await audio.find(digest)) !== null;
  const age = (digest: string) =>
    dataSource.query(`UPDATE audio_object SET created_at = now() - interval '1 day' WHERE digest = $1`, [
      digest,
    ]);

  async function insertPreview(audioDigest: string, expiredSecs: number): Promise<string> {
    const id = newPublicId(randomBytes);
    await dataSource.manager.insert(Preview, {
      id,
      accountId: randomUUID(),
      keyId: randomUUID(),
      description: 'A voice that was not created.',
      text: 'Some text.',
      engine: 'test',
      spec: {},
      understood: {},
      language: 'en',
      audioDigest,
      durationSecs: 1,
      requestId: 'request',
      expiresAt: () => `now() - interval '${expiredSecs} seconds'`,
    });
    return id;
  }

  async function makeVoice(previewId: string, audioDigest: string): Promise<void> {
    const voice = {
      id: newPublicId(randomBytes),
      accountId: randomUUID(),
      name: 'A voice',
      description: 'A voice that was taken.',
      labels: {},
      previewId,
      engine: 'test',
      spec: {},
      language: 'en',
      contentDigest: 'digest',
      requestId: 'request',
    };
    const sample = {
      fileName: 'a.mp3',
      mediaType: 'audio/mpeg',
      sizeBytes: 64,
      audioDigest,
      durationSecs: 1,
    };
    await dataSource.transaction((em) =>
      new VoiceRepository(dataSource).insert(voice, [{ ...sample, id: newPublicId(randomBytes) }], em),
    );
  }

  it('deletes a preview that became no voice, and then its audio', async () => {
    const { digest } = await storeAudio(audio, bytes(), 'audio/mpeg');
    const id = await insertPreview(digest, 7_200);
    await age(digest);
    await expiry.expire();
    expect(await dataSource.manager.findOneBy(Preview, { id })).toBeNull();
    expect(await exists(digest)).toBe(false);
  });

  it.each([
    ['has just expired', 60, false],
    ['became a voice', 7_200, true],
  ])('keeps a preview that %s, and its audio', async (_, expiredSecs, isVoice) => {
    const { digest } = await storeAudio(audio, bytes(), 'audio/mpeg');
    const id = await insertPreview(digest, expiredSecs);
    if (isVoice) await makeVoice(id, digest);
    await age(digest);
    await expiry.expire();
    expect(await dataSource.manager.findOneBy(Preview, { id })).not.toBeNull();
    expect(await exists(digest)).toBe(true);
  });

  it('keeps audio that was stored a moment ago, also when the same bytes had been lying there unused', async () => {
    const content = bytes();
    const { digest } = await storeAudio(audio, content, 'audio/mpeg');
    await age(digest);
    await storeAudio(audio, content, 'audio/mpeg');
    await expiry.expire();
    expect(await exists(digest)).toBe(true);
  });

  it('never takes audio from under a put that has not committed yet', async () => {
    const content = bytes();
    const { digest } = await storeAudio(audio, content, 'audio/mpeg');
    await age(digest);
    await dataSource.transaction(async (em) => {
      await audio.keep(await audio.stage(content, 'audio/mpeg'), em);
      await expiry.expire();
    });
    expect(await exists(digest)).toBe(true);
  });

  it('lets a put store again what is being deleted', async () => {
    const content = bytes();
    const { digest } = await storeAudio(audio, content, 'audio/mpeg');
    await age(digest);
    let put: Promise<unknown> = Promise.resolve();
    await dataSource.transaction(async (em) => {
      expect(await audio.deleteUnreferenced(3_600, '', em)).toMatchObject({ deleted: 1 });
      put = storeAudio(audio, content, 'audio/mpeg');
      await eventually(async () => {
        const [row] = await dataSource.query<{ waiting: number }[]>(
          `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted`,
        );
        expect(row?.waiting).toBe(1);
      });
    });
    await put;
    expect(await exists(digest)).toBe(true);
  });

  it('looks at a large store part by part, to its end', async () => {
    await dataSource.query(
      `INSERT INTO audio_object (digest, media_type, size_bytes)
       SELECT lpad(to_hex(i), 64, '0'), 'audio/mpeg', 1 FROM generate_series(1, 6000) i`,
    );
    const last = 'f'.repeat(64);
    await dataSource.query(
      `INSERT INTO audio_object (digest, media_type, size_bytes, created_at) VALUES ($1, 'audio/mpeg', 1, now() - interval '1 day')`,
      [last],
    );
    const isThere = async () =>
      (await dataSource.query('SELECT FROM audio_object WHERE digest = $1', [last])).length === 1;
    expect(nextOf(await expiry.expire())).toBe('more');
    expect(await isThere()).toBe(true);
    expect(nextOf(await expiry.expire())).toBe('idle');
    expect(await isThere()).toBe(false);
  });
});
