import {
  JobHistoryRepository,
  type JobStep,
  type JobSubject,
  type JobSubjectKind,
} from '@app/database/queue/job-history.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import type { QueuedJobState } from '@app/domain/reviews/queued-job-states';
import { CHAT_QUEUE, EMAIL_QUEUE, VOICE_REVIEW_QUEUE, WEBHOOK_QUEUE } from '@app/queue/jobs';
import { HELD } from '@app/queue/queue-counts';
import { Injectable } from '@nestjs/common';
import type { Job, JobType } from 'bullmq';
import { inTime, QueueAccess } from './queue-access';

const MAX_JOBS = 50;

/** What the jobs of a queue are about. */
const KINDS: Record<string, JobSubjectKind> = {
  [VOICE_REVIEW_QUEUE]: 'voice',
  [WEBHOOK_QUEUE]: 'delivery',
  [EMAIL_QUEUE]: 'message',
  [CHAT_QUEUE]: 'message',
};

const TYPES: Record<QueuedJobState, JobType[]> = {
  active: ['active'],
  waiting: ['waiting', HELD, 'prioritized'],
  delayed: ['delayed'],
  failed: ['failed'],
  completed: ['completed'],
};

export interface QueuedJob {
  job: Job;
  subjectId: string;
  /** Null when it is gone. */
  subject: JobSubject | null;
}

export interface JobHistory {
  subject: JobSubject;
  steps: JobStep[];
}

/** Single jobs, by the names of what they are about. */
@Injectable()
export class QueueJobsService {
  constructor(
    private readonly access: QueueAccess,
    private readonly history: JobHistoryRepository,
  ) {}

  /**
   * The newest jobs that the queue itself has in a state, at most 50.
   *
   * @throws DomainError `queue_not_found`; `service_unavailable` when the backend does not respond
   */
  async list(queue: string, state: QueuedJobState): Promise<QueuedJob[]> {
    const jobs = await this.readJobs(queue, state);
    const ids = jobs.map(subjectIdOf);
    const subjects = await this.history.listSubjects(KINDS[queue]!, ids);
    const byId = new Map(subjects.map((subject) => [subject.id, subject]));
    return jobs.map((job, place) => {
      const subjectId = ids[place]!;
      return { job, subjectId, subject: byId.get(subjectId) ?? null };
    });
  }

  /**
   * What happened to the voice, delivery or message with an id.
   *
   * @throws DomainError `queue_not_found`, `not_found`
   */
  async get(queue: string, id: string): Promise<JobHistory> {
    this.access.require(queue);
    const kind = KINDS[queue]!;
    const isId = kind === 'voice' ? isPublicId(id) : /^[1-9]\d{0,17}$/.test(id);
    const [subject] = isId ? await this.history.listSubjects(kind, [id]) : [];
    if (!subject) throw new DomainError('not_found');
    return { subject, steps: await this.history.listSteps(kind, subject, queue) };
  }

  private async readJobs(queue: string, state: QueuedJobState): Promise<Job[]> {
    const access = this.access.require(queue);
    try {
      const jobs = await inTime(access.getJobs(TYPES[state], 0, MAX_JOBS - 1));
      // One may have ended between two reads, and one of another release may be about something else.
      return jobs.filter((job) => job && subjectIdOf(job) !== '').slice(0, MAX_JOBS);
    } catch (cause) {
      throw new DomainError('service_unavailable', {}, { cause });
    }
  }
}

function subjectIdOf({ data }: Job<{ voiceId?: string; deliveryId?: string; messageId?: string }>): string {
  return data.voiceId ?? data.deliveryId ?? data.messageId ?? '';
}
