/** How a single job stands in its queue. */
export const QUEUED_JOB_STATES = ['active', 'waiting', 'delayed', 'failed', 'completed'] as const;
export type QueuedJobState = (typeof QUEUED_JOB_STATES)[number];
