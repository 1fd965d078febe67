import { REVIEW_VOICE } from '@app/domain/reviews/review-state';
import type { DefaultJobOptions } from 'bullmq';

/** One kind of job: where it waits, how it is named and how often it is tried. */
interface JobRow<P> {
  queue: string;
  /**
   * Id of the job in its queue. An id that is still known there (waiting, running, done or failed) is not added again,
   * so a repeated delivery has no effect; a job that must run again needs a new id. No `:`, and not digits only.
   */
  jobId: (payload: P) => string;
  options: DefaultJobOptions & { attempts: number };
  /** An attempt whose present step has not ended by then has failed. Longer than everything that its own code bounds. */
  deadlineMs: number;
  /** Place among the waiting jobs: without one a job goes first, then 1, 2 … */
  priorityOf?: (payload: P) => number | undefined;
}

/** Payloads carry ids only: a job's data is stored in clear text, and may be old by the time it runs. */
export interface ReviewVoicePayload {
  voiceId: string;
  generation: number;
  /** The request that caused it, for the logs. */
  requestId: string;
  /** One of many with low priority: after all others. */
  isBulk?: boolean;
  /** Which turn of the generation it is: a voice with much audio takes several. The first one has none. */
  turn?: number;
}

export interface DeliverWebhookPayload {
  deliveryId: string;
  /** Counts the jobs of the delivery: attempts that failed are followed by a new one. */
  dispatch: number;
}

/** Sends one webhook once. */
export const DELIVER_WEBHOOK = 'deliver-webhook';

export interface SendAlertPayload {
  messageId: string;
  /** Counts the jobs of the message, as of a delivery. */
  dispatch: number;
}

/** Sends one e-mail once. */
export const SEND_ALERT_EMAIL = 'send-alert-email';

/** Posts to one hook of a contact once. */
export const SEND_ALERT_CHAT = 'send-alert-chat';

const DAY_SECS = 86_400;
const LAST = 10;
const OPTIONS = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 14 * DAY_SECS, count: 10_000 },
};

/** Every job there is. A name or a payload that is not in this table does not compile. */
export const JOBS = {
  [REVIEW_VOICE]: {
    queue: 'voice-review',
    jobId: ({ voiceId, generation, turn = 0 }: ReviewVoicePayload) =>
      `review-${voiceId}-${generation}${turn === 0 ? '' : `-${turn}`}`,
    options: OPTIONS,
    // Each sample is a step.
    deadlineMs: 40_000,
    priorityOf: ({ isBulk }: ReviewVoicePayload) => (isBulk ? LAST : undefined),
  },
  [DELIVER_WEBHOOK]: {
    queue: 'webhooks',
    jobId: ({ deliveryId, dispatch }: DeliverWebhookPayload) => `webhook-${deliveryId}-${dispatch}`,
    // For what keeps an attempt from being written down: one that failed is followed by another job.
    options: OPTIONS,
    deadlineMs: 30_000,
  },
  // A queue each: a mail server that hangs holds up mail only.
  [SEND_ALERT_EMAIL]: {
    queue: 'email',
    jobId: ({ messageId, dispatch }: SendAlertPayload) => `email-${messageId}-${dispatch}`,
    options: OPTIONS,
    deadlineMs: 40_000,
  },
  [SEND_ALERT_CHAT]: {
    queue: 'chat',
    jobId: ({ messageId, dispatch }: SendAlertPayload) => `chat-${messageId}-${dispatch}`,
    options: OPTIONS,
    deadlineMs: 30_000,
  },
} satisfies Record<string, JobRow<never>>;

export type JobName = keyof typeof JOBS;

export type JobPayload<N extends JobName> = Parameters<(typeof JOBS)[N]['jobId']>[0];

const ROWS: { [N in JobName]: JobRow<JobPayload<N>> } = JOBS;

/** A job's row of the table. */
export function jobRow<N extends JobName>(name: N): JobRow<JobPayload<N>> {
  return ROWS[name];
}

/** Whether a name is in the table; a message of another release may carry one that is not. */
export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

export const JOB_NAMES = Object.keys(JOBS) as JobName[];

/** The kinds of jobs in a queue. */
export const jobsOf = (queue: string): JobName[] => JOB_NAMES.filter((name) => jobRow(name).queue === queue);

export const QUEUE_NAMES = [...new Set(Object.values(JOBS).map((row) => row.queue))];

/** The queue that reviews of voices wait in. */
export const VOICE_REVIEW_QUEUE = JOBS[REVIEW_VOICE].queue;

/** The queue that e-mails wait in. */
export const EMAIL_QUEUE = JOBS[SEND_ALERT_EMAIL].queue;

/** The queue that posts to hooks of contacts wait in. */
export const CHAT_QUEUE = JOBS[SEND_ALERT_CHAT].queue;

/** The queue that webhooks wait in. */
export const WEBHOOK_QUEUE = JOBS[DELIVER_WEBHOOK].queue;

/** Webhooks that one worker sends at the same time. They wait for others' servers, not for this machine. */
export const WEBHOOK_SLOTS = 32;

/** The same for e-mails, and for posts to hooks. */
export const ALERT_SLOTS = 16;
