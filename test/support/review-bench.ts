import type { INestApplicationContext } from '@nestjs/common';
import { getQueueToken } from '@nestjs/bullmq';
import { Test } from '@nestjs/testing';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { Queue } from 'bullmq';
import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { OutboxRelay } from '../../apps/worker/src/outbox/outbox-relay';
import { TIMED_TASKS, TIMETABLE } from '../../apps/worker/src/poller';
import { ReviewSweeper, SweepLimits } from '../../apps/worker/src/review/review-sweeper';
import { WorkerModule } from '../../apps/worker/src/worker.module';
import { AudioStore } from '../../libs/audio-store/audio-store';
import { AudioStoreModule } from '../../libs/audio-store/audio-store.module';
import { loadConfig, type AppConfig } from '../../libs/config/app-config';
import { createLogger } from '../../libs/config/logger';
import type { VariableName } from '../../libs/config/variables';
import { ConfigModule } from '../../libs/config/config.module';
import { DatabaseModule } from '../../libs/database/database.module';
import { ReviewEvent } from '../../libs/database/voices/review-event.entity';
import { ReviewFlowRepository } from '../../libs/database/reviews/review-flow.repository';
import { Review } from '../../libs/database/voices/review.entity';
import { Voice } from '../../libs/database/voices/voice.entity';
import { OutboxModule } from '../../libs/queue/outbox.module';
import { OutboxRepository } from '../../libs/queue/outbox.repository';
import { ReviewTurnsRepository } from '../../libs/queue/review-turns.repository';
import { VoiceRepository } from '../../libs/database/voices/voice.repository';
import { newPublicId } from '../../libs/domain/common/public-id';
import { JobProducer } from '../../libs/queue/job-producer';
import { VOICE_REVIEW_QUEUE, type ReviewVoicePayload } from '../../libs/queue/jobs';
import { REVIEW_VOICE } from '../../libs/domain/reviews/review-state';
import { QueueModule } from '../../libs/queue/queue.module';
import { eventually } from './eventually';
import { startRedisServer, type RedisServer } from './redis-server';
import { createTestDatabase } from './test-database';
import { storeAudio } from './store-audio';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

/** A database and a queue with voices to review, and workers as a test wants them. No api. */
export class ReviewBench {
  private readonly workers: INestApplicationContext[] = [];

  private constructor(
    readonly config: AppConfig,
    private redis: RedisServer | null,
    private readonly app: INestApplicationContext,
    readonly ownerUrl: string,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  /** @param reach how the database is reached, when not at its own URL */
  static async start(
    env: Partial<Record<VariableName, string>> = {},
    reach: (url: string) => string | Promise<string> = (url) => url,
  ): Promise<ReviewBench> {
    const database = await createTestDatabase();
    const redis = __QUEUE_BACKEND__ === 'redis' && !env.REDIS_URL ? await startRedisServer() : null;
    const config = loadConfig({
      LOG_LEVEL: 'error',
      DATABASE_URL: await reach(database.url),
      REDIS_URL: redis?.url,
      APP_SECRET: 'a-secret-that-only-the-tests-of-greenroom-use',
      ...env,
    });
    const module = Test.createTestingModule({
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.connect('test-bench'),
        QueueModule.connect(),
        AudioStoreModule,
        DatabaseModule,
        OutboxModule,
        QueueModule,
      ],
    });
    try {
      const app = await module.setLogger(createLogger(config, 'bench')).compile();
      await app.init();
      return new ReviewBench(config, redis, app, database.ownerUrl, () => database.drop());
    } catch (error) {
      await redis?.stop();
      await database.drop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.stopWorkers();
    await this.app.close();
    await this.redis?.stop();
    await this.dropDatabase();
  }

  /** A worker in this process. Its sweeper is off unless limits are given. */
  async startWorker(
    {
      everyMs = 5_000,
      relayEveryMs,
      ...limits
    }: Partial<SweepLimits> & { everyMs?: number; relayEveryMs?: number } = { idleSecs: 3_600 },
  ): Promise<INestApplicationContext> {
    const intervals = new Map([[ReviewSweeper.name, everyMs]]);
    if (relayEveryMs !== undefined) intervals.set(OutboxRelay.name, relayEveryMs);
    const worker = await Test.createTestingModule({ imports: [WorkerModule.forRoot(this.config)] })
      .overrideProvider(SweepLimits)
      .useValue({ ...new SweepLimits(), ...limits })
      .overrideProvider(TIMETABLE)
      .useValue(TIMED_TASKS.map((task) => ({ ...task, everyMs: intervals.get(task.name) ?? task.everyMs })))
      .setLogger(createLogger(this.config, 'worker'))
      .compile();
    await worker.init();
    this.workers.push(worker);
    return worker;
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.close()));
  }

  /** Takes Redis away, with everything that was in it. */
  async stopRedis(): Promise<void> {
    await this.redis?.stop();
  }

  /** Brings an empty Redis back at the same address. */
  async startRedis(): Promise<void> {
    this.redis = await startRedisServer(Number(new URL(this.config.redisUrl ?? '').port));
  }

  get dataSource(): DataSource {
    return this.app.get<DataSource>(getDataSourceToken());
  }

  get voices(): VoiceRepository {
    return this.app.get(VoiceRepository);
  }

  get outbox(): OutboxRepository {
    return this.app.get(OutboxRepository);
  }

  get flow(): ReviewFlowRepository {
    return this.app.get(ReviewFlowRepository);
  }

  get turns(): ReviewTurnsRepository {
    return this.app.get(ReviewTurnsRepository);
  }

  get audio(): AudioStore {
    return this.app.get(AudioStore);
  }

  get jobs(): JobProducer {
    return this.app.get(JobProducer);
  }

  get queue(): Queue {
    return this.app.get<Queue>(getQueueToken(VOICE_REVIEW_QUEUE));
  }

  /** A voice as a request leaves it: stored with its audio, in review, its job in the outbox. */
  async insertVoice(
    options: {
      bytes?: Uint8Array | ((take: number) => Uint8Array);
      takes?: number;
      secs?: number;
      enqueue?: boolean;
      accountId?: string;
    } = {},
  ): Promise<ReviewVoicePayload & { audioDigest: string; audioDigests: string[] }> {
    const { bytes, takes = 1, secs = 1, enqueue = true, accountId } = options;
    const id = newPublicId(randomBytes);
    const requestId = `req_${id}`;
    const payload = { voiceId: id, generation: 1, requestId };
    const recordings = Array.from({ length: takes }, (_, take) =>
      typeof bytes === 'function' ? bytes(take) : (bytes ?? recording()),
    );
    const stored = await Promise.all(recordings.map((each) => storeAudio(this.audio, each, 'audio/wav')));
    const audioDigests = stored.map(({ digest }) => digest);
    await this.dataSource.transaction(async (em) => {
      const samples = recordings.map((each, take) => newSample(audioDigests[take]!, each.length, secs));
      const voice = { ...newVoice(id, requestId), ...(accountId !== undefined && { accountId }) };
      await this.voices.insert(voice, samples, em);
      if (enqueue) await this.outbox.enqueue(REVIEW_VOICE, payload, id, em);
    });
    return { ...payload, audioDigest: audioDigests[0]!, audioDigests };
  }

  /** Requests the review of a voice that was stored without one. */
  async enqueueReview(voiceId: string): Promise<void> {
    const payload = { voiceId, generation: 1, requestId: `req_${voiceId}` };
    await this.outbox.enqueue(REVIEW_VOICE, payload, voiceId, this.dataSource.manager);
  }

  /** Lets everything that has happened to a voice's review have happened `ago`, such as its request. */
  async backdate(voiceId: string, ago: string): Promise<void> {
    await this.dataSource.query('UPDATE review_event SET at = at - $2::interval WHERE voice_id = $1', [
      voiceId,
      ago,
    ]);
  }

  async voice(id: string): Promise<Voice> {
    return this.dataSource.manager.findOneByOrFail(Voice, { id });
  }

  async reviews(voiceId: string): Promise<Review[]> {
    return this.dataSource.manager.findBy(Review, { voiceId });
  }

  /** The states a voice's review went through, oldest first. */
  async history(voiceId: string): Promise<string[]> {
    const events = await this.dataSource.manager.find(ReviewEvent, {
      where: { voiceId },
      order: { id: 'ASC' },
    });
    return events.map((event) => event.toState);
  }

  /** What happened to a voice's review and why, oldest first. */
  async causes(voiceId: string): Promise<string[]> {
    const where = { voiceId };
    const events = await this.dataSource.manager.find(ReviewEvent, { where, order: { id: 'ASC' } });
    return events.map(({ at, toState, cause }) => `${at.toISOString().slice(17, 23)} ${toState} (${cause})`);
  }

  async waitForState(voiceId: string, state: Voice['reviewState'], withinMs?: number): Promise<Voice> {
    return eventually(
      async () => {
        const voice = await this.voice(voiceId);
        if (voice.reviewState !== state)
          throw new Error(
            `is ${voice.reviewState}, not ${state}: ${(await this.causes(voiceId)).join('; ')}`,
          );
        return voice;
      },
      { withinMs },
    );
  }

  async outboxSize(): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM outbox',
    );
    return row?.count ?? 0;
  }
}

export function newVoice(id: string, requestId: string) {
  return {
    id,
    accountId: randomUUID(),
    name: 'A voice under review',
    description: 'A calm voice that is here to be reviewed.',
    labels: {},
    previewId: newPublicId(randomBytes),
    engine: 'test',
    spec: {},
    language: 'en',
    contentDigest: id,
    requestId,
  };
}

export function newSample(audioDigest: string, sizeBytes: number, durationSecs = 1) {
  return {
    id: newPublicId(randomBytes),
    fileName: 'sample.wav',
    mediaType: 'audio/wav',
    sizeBytes,
    audioDigest,
    durationSecs,
  };
}

/** A second of mono 16-bit noise at 16 kHz as a WAV file; no two are alike. */
export function recording(secs = 1): Buffer {
  const samples = randomBytes(secs * 32_000);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
