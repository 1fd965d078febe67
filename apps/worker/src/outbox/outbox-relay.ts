import { OutboxRepository, type ClaimedMessage, type FailedDelivery } from '@app/queue/outbox.repository';
import { JobProducer } from '@app/queue/job-producer';
import { isJobName, type JobPayload, type JobName } from '@app/queue/jobs';
import { ReviewTurnsRepository } from '@app/queue/review-turns.repository';
import { REVIEW_VOICE } from '@app/domain/reviews/review-state';
import { continueTrace } from '@app/telemetry/tracing';
import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ended, joined, type Round } from '../loop';

const BATCH = 50;
/**
 * How long the messages of a relay that was killed wait for another one. More than a delivery takes while the queue does
 * not respond; one that takes longer is delivered twice, which has no effect.
 */
const LEASE_SECS = 15;
/** Under the 30 s in which a voice must be reviewed after a queue has come back. */
const MAX_DELAY_SECS = 10;

/**
 * Delivers the jobs that committed transactions enqueued. At least once: a relay that dies between adding a job and
 * deleting its message leaves the message to the next one, and the job's id makes the second delivery a no-op.
 */
@Injectable()
export class OutboxRelay {
  private readonly logger = new Logger(OutboxRelay.name);
  private readonly owner = randomUUID();

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly turns: ReviewTurnsRepository,
    private readonly jobs: JobProducer,
  ) {}

  /** Delivers one batch of what waits for no turn, and the reviews whose turn it is. */
  async relay(): Promise<Round> {
    return joined([
      await this.deliverAll(await this.outbox.claim(this.owner, BATCH, LEASE_SECS)),
      await this.deliverAll(await this.claimTurns()),
    ]);
  }

  private async claimTurns(): Promise<ClaimedMessage[]> {
    const jobsInQueue = await this.jobs.countOpen(REVIEW_VOICE);
    const limits = { batch: BATCH, leaseSecs: LEASE_SECS, jobsInQueue };
    const turns = await this.turns.claim(this.owner, limits);
    return turns.map(({ isLast, ...message }) => {
      return isLast ? { ...message, payload: { ...message.payload, isBulk: true } } : message;
    });
  }

  private async deliverAll(messages: ClaimedMessage[]): Promise<Round> {
    const failures = (await Promise.all(messages.map((message) => this.deliver(message)))).filter(
      (failure) => failure !== null,
    );
    const failed = new Set(failures.map((failure) => failure.id));
    const delivered = messages.map((message) => message.id).filter((id) => !failed.has(id));
    if (delivered.length > 0) await this.outbox.remove(delivered, this.owner);
    if (failures.length > 0) await this.outbox.release(failures, this.owner);
    return ended(delivered.length === BATCH ? 'more' : 'idle', { job: delivered.length });
  }

  private async deliver(message: ClaimedMessage): Promise<FailedDelivery | null> {
    try {
      await this.add(message);
      return null;
    } catch (cause) {
      const error = (cause as Error).message;
      const delaySecs = retryDelaySecs(message.attempts, Math.random());
      const fields = { ...message.payload, attempt: message.attempts, delaySecs };
      this.logger.warn(`Job ${message.job} is not delivered: ${error}`, fields);
      return { id: message.id, delaySecs, error };
    }
  }

  private async add({ job, payload, traceparent }: ClaimedMessage): Promise<void> {
    // A message of a newer release waits until a relay of that release is there.
    if (!isJobName(job)) throw new Error('this release has no such job');
    await continueTrace(traceparent, `relay ${job}`, () =>
      this.jobs.add(job, payload as JobPayload<JobName>),
    );
  }
}

/** Seconds until the next try: exponential from 1 s, with up to half of it taken off by `random` in [0, 1). */
function retryDelaySecs(attempts: number, random: number): number {
  return Math.min(MAX_DELAY_SECS, 2 ** (attempts - 1)) * (1 - random / 2);
}
