import type { Queue } from 'bullmq';
import type { SupervisedProcess } from './supervised-process';
import type { CreateVoice } from './voice-load';

/** What a storm strikes: the product, or the naive version of it. */
export interface Subject {
  api: SupervisedProcess;
  workers: SupervisedProcess[];
  queue: Queue;
  /** Of its api. */
  url: string;
  create: CreateVoice;
  /** Whether a job is on its way from the database to the queue right now. */
  isRelaying(): Promise<boolean>;
  /** Voices that wait for a review, with anything that is still to be done for them. */
  backlog(): Promise<number>;
  /** The outcome of each voice that was requested. */
  outcomes(): Promise<VoiceOutcome[]>;
}

export interface VoiceOutcome {
  voiceId: string;
  createdAt: Date;
  /** Verdicts that took effect. */
  effects: number;
  reviewedAt: Date | null;
}
