/** The reason of a job's signal when its worker stops in order: the job is handed back, and has not been an attempt. */
export class WorkerStoppingError extends Error {
  constructor() {
    super('its worker is stopping');
    this.name = 'WorkerStoppingError';
  }
}
