import type { JobSubject } from '@app/database/queue/job-history.repository';
import { QUEUED_JOB_STATES, type QueuedJobState } from '@app/domain/reviews/queued-job-states';
import { choose } from '../http/choose';
import { EnumField } from '../http/fields';
import type { JobHistory, QueuedJob } from './queue-jobs.service';

export class QueueJobsQuery {
  @EnumField(QUEUED_JOB_STATES, { optional: true })
  state: QueuedJobState = 'active';
}

export interface QueuedJobResponse extends ReturnType<typeof toQueuedJobResponse> {}

export function toQueuedJobResponse({ job, subjectId, subject }: QueuedJob) {
  return {
    job_id: job.id ?? '',
    /** Id of the voice, the webhook delivery or the message. */
    subject_id: subjectId,
    /** Null when it is gone. */
    name: subject?.name ?? null,
    account: subject && toAccount(subject),
    attempts: job.attemptsMade,
    added_at: new Date(job.timestamp).toISOString(),
    started_at: job.processedOn === undefined ? null : new Date(job.processedOn).toISOString(),
    /** Of the last attempt: with its stack, where the queue has one. */
    error: errorOf(job),
  };
}

function errorOf({ stacktrace, failedReason }: QueuedJob['job']): string | null {
  return stacktrace?.at(-1) ?? failedReason ?? null;
}

export interface JobHistoryResponse extends ReturnType<typeof toJobHistoryResponse> {}

export function toJobHistoryResponse({ subject, steps }: JobHistory) {
  return {
    ...choose(subject, 'id', 'name'),
    account: toAccount(subject),
    ...choose(subject, 'state', 'nextAt'),
    /** Newest first: attempts with their errors, and what staff did that it waited for. */
    steps: steps.map((step) => choose(step, 'at', 'what', 'by', 'cause')),
  };
}

function toAccount({ accountId: id, accountName: name }: JobSubject) {
  return id === null ? null : { id, name };
}
