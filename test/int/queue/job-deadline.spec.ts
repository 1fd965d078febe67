import { getQueueToken, Processor } from '@nestjs/bullmq';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Queue } from 'bullmq';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppConfig } from '../../../libs/config/app-config';
import { ConfigModule } from '../../../libs/config/config.module';
import { createLogger } from '../../../libs/config/logger';
import { DatabaseModule } from '../../../libs/database/database.module';
import { RecordingGrader } from '../../../libs/audio/threads/recording-grader';
import { REVIEW_VOICE } from '../../../libs/domain/reviews/review-state';
import { JobHandler } from '../../../libs/queue/job-handler';
import { DELIVER_WEBHOOK, JOBS, WEBHOOK_QUEUE, type DeliverWebhookPayload } from '../../../libs/queue/jobs';
import { QueueModule } from '../../../libs/queue/queue.module';
import { WorkerStoppingError } from '../../../libs/queue/worker-stopping.error';
import { eventually } from '../../support/eventually';
import { recording, ReviewBench } from '../../support/review-bench';

/** Has one slot. A delivery with the id 0 never settles and ignores its signal. */
@Processor(WEBHOOK_QUEUE, { autorun: false, lockDuration: 10_000, stalledInterval: 5_000 })
class OneSlot extends JobHandler<typeof DELIVER_WEBHOOK> implements OnApplicationBootstrap {
  readonly jobName = DELIVER_WEBHOOK;
  readonly concurrency = 1;
  readonly stopGraceMs = 1_000;
  readonly signals: AbortSignal[] = [];

  onApplicationBootstrap(): Promise<void> {
    return this.start();
  }

  /** Of its present jobs. */
  deadline = 300;

  protected override get deadlineMs(): number {
    return this.deadline;
  }

  protected async handle({ deliveryId }: DeliverWebhookPayload, signal: AbortSignal): Promise<string> {
    this.signals.push(signal);
    if (deliveryId === '0') return new Promise(() => undefined);
    if (deliveryId === 'slow') await sleep(60_000, undefined, { signal });
    return 'done';
  }
}

/** Large by its bytes, and soon measured: a second of sound, and a chunk that readers skip. */
function largeRecording(): Buffer {
  const chunk = Buffer.alloc(1_100_000);
  chunk.write('LIST', 'latin1');
  chunk.writeUInt32LE(chunk.length - 8, 4);
  return Buffer.concat([recording(), chunk]);
}

async function openSlot(config: AppConfig): Promise<TestingModule> {
  const app = await Test.createTestingModule({
    imports: [
      ConfigModule.forRoot(config),
      DatabaseModule.connect('test-slot'),
      QueueModule.connect(),
      QueueModule,
    ],
    providers: [OneSlot],
  })
    .setLogger(createLogger(config, 'slot'))
    .compile();
  await app.init();
  return app;
}

describe('a job whose code never settles', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  afterAll(() => bench.stop());

  it('fails at its deadline, is to be tried again, and frees its slot for the next', async () => {
    const app = await openSlot(bench.config);
    const handler = app.get(OneSlot);
    try {
      const [endless, next] = ['0', '1'].map((deliveryId) => ({ deliveryId, dispatch: 1 }));
      await bench.jobs.add(DELIVER_WEBHOOK, endless!);
      await eventually(() => expect(handler.isBusy).toBe(true));
      await bench.jobs.add(DELIVER_WEBHOOK, next!);
      await eventually(async () =>
        expect(await bench.jobs.stateOf(DELIVER_WEBHOOK, next!)).toBe('completed'),
      );
      const queue = app.get<Queue>(getQueueToken(WEBHOOK_QUEUE));
      const job = await queue.getJob('webhook-0-1');
      expect(job?.failedReason).toBe('it did not end within 0.3 s and was abandoned');
      expect(handler.overdue).toBeGreaterThan(0);
      expect(handler.signals[0]?.aborted).toBe(true);
      expect(await bench.jobs.stateOf(DELIVER_WEBHOOK, endless!)).not.toBe('completed');
    } finally {
      await handler.stop();
      await app.close();
    }
  });
});

describe('a job that runs when its worker stops', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  afterAll(() => bench.stop());

  it('is handed back without an attempt, for a reason that is an error by type', async () => {
    const app = await openSlot(bench.config);
    const handler = app.get(OneSlot);
    const slow = { deliveryId: 'slow', dispatch: 1 };
    try {
      handler.deadline = 60_000;
      await bench.jobs.add(DELIVER_WEBHOOK, slow);
      await eventually(() => expect(handler.isBusy).toBe(true));
      await handler.stop();
      expect(handler.signals[0]!.reason).toBeInstanceOf(WorkerStoppingError);
      const job = await app.get<Queue>(getQueueToken(WEBHOOK_QUEUE)).getJob('webhook-slow-1');
      expect([await job!.getState(), job!.attemptsMade, job!.failedReason]).toEqual([
        'waiting',
        0,
        undefined,
      ]);
    } finally {
      await app.close();
    }
  });
});

describe('a large recording that waits for its turn', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start({ WORKER_CONCURRENCY: '2' });
  });
  afterAll(() => bench.stop());

  it('is not late, however long the others take', async () => {
    // Longer than one step takes on a busy machine, shorter than the wait.
    const deadline = jest.replaceProperty(JOBS[REVIEW_VOICE], 'deadlineMs', 12_000);
    const grader = (await bench.startWorker()).get(RecordingGrader, { strict: false });
    let end = (_: Uint8Array): void => undefined;
    const other = new Promise<Uint8Array>((resolve) => (end = resolve));
    const graded = grader.grade({ sizeBytes: 2_000_000, read: () => other });
    try {
      const { voiceId } = await bench.insertVoice({ bytes: largeRecording() });
      await bench.waitForState(voiceId, 'running');
      await sleep(13_500);
      end(recording());
      const { reviewAttempts } = await bench.waitForState(voiceId, 'completed');
      expect(reviewAttempts).toBe(1);
    } finally {
      end(recording());
      await graded;
      deadline.restore();
    }
  });
});

describe('a recording that gets no processor in time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'no-processor-'));
  let bench: ReviewBench;
  beforeAll(async () => {
    const [program, decoded] = [join(folder, 'ffmpeg'), join(folder, 'decoded.wav')];
    writeFileSync(decoded, recording());
    // Waits, as on a machine that is busy, and decodes the next time.
    const script = `[ -e ${folder}/again ] && exec cat ${decoded}; : > ${folder}/again; exec sleep 60`;
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    bench = await ReviewBench.start({ FFMPEG_PATH: program });
  });
  afterAll(async () => {
    await bench.stop();
    rmSync(folder, { recursive: true });
  });

  it('is tried again, and that was no attempt', async () => {
    const grader = (await bench.startWorker()).get(RecordingGrader, { strict: false });
    const limit = jest.replaceProperty(grader['threads']['options'], 'longestMs', 5_000);
    try {
      const amr = Buffer.concat([Buffer.from('#!AMR\n'), Buffer.alloc(3_200, 0x3c)]);
      const { voiceId } = await bench.insertVoice({ bytes: amr });
      expect(await bench.waitForState(voiceId, 'completed')).toMatchObject({ reviewAttempts: 1 });
      expect(await bench.history(voiceId)).toEqual([
        'queued',
        'running',
        'retry_wait',
        'running',
        'completed',
      ]);
    } finally {
      limit.restore();
    }
  });
});

describe('a recording that always takes longer than a task may', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  afterAll(() => bench.stop());

  it('is tried twice, and not as often as after other trouble', async () => {
    const grader = (await bench.startWorker()).get(RecordingGrader, { strict: false });
    const limit = jest.replaceProperty(grader['threads']['options'], 'taskTimeoutMs', 1);
    try {
      const { voiceId } = await bench.insertVoice({ bytes: recording(40) });
      expect(await bench.waitForState(voiceId, 'stalled')).toMatchObject({ reviewAttempts: 2 });
      expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'retry_wait', 'running', 'stalled']);
      const job = await bench.queue.getJob(`review-${voiceId}-1`);
      await eventually(async () => expect(await job!.getState()).toBe('failed'));
    } finally {
      limit.restore();
    }
  });
});
