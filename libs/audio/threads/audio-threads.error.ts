/** The task used more time of a processor than it may; its thread was killed. The same input will most likely do it again. */
export class AudioTaskTimeoutError extends Error {
  constructor(readonly limitMs: number) {
    super(`The audio task took longer than ${limitMs} ms and was stopped.`);
    this.name = 'AudioTaskTimeoutError';
  }
}

/** The machine was too busy to give the task as much time as it may use. It says nothing about the task, which may be repeated. */
export class AudioTaskStarvedError extends Error {
  constructor(limitMs: number, tookMs: number) {
    super(`The audio task got less than ${limitMs} ms of a processor in ${tookMs} ms and was stopped.`);
    this.name = 'AudioTaskStarvedError';
  }
}

/** The thread died under the task, out of memory most likely. */
export class AudioTaskCrashedError extends Error {
  constructor(cause: unknown) {
    super(`The audio task's thread died: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = 'AudioTaskCrashedError';
  }
}

/** The thread could not load a library and was replaced. It says nothing about the task, which may be repeated. */
export class AudioThreadBrokenError extends Error {
  constructor(cause: unknown) {
    super('A thread for audio could not load what it needs, and was replaced.', { cause });
    this.name = 'AudioThreadBrokenError';
  }
}
