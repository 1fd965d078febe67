/** How busy a queue has been, and what waits in it. */
export interface QueueLoad {
  waiting: number;
  /** Mean time that a job holds its slot, seconds; null when none has ended. */
  meanWorkSecs: number | null;
  /** Jobs that all workers can run at once. */
  slots: number;
  slotsPerWorker: number;
  /** Time that jobs held slots in the last `observedSecs`. */
  busySecs: number;
  observedSecs: number;
}

export interface QueueForecast {
  /** Share of the slots that was in use, 0 to 1; null without a worker. */
  utilisation: number | null;
  /** Until what waits has started, if no more comes; null when it never will, or when nothing is known of the work. */
  drainsInSecs: number | null;
  /** Workers that would start what waits within `TARGET_SECS`; null when nothing is known of the work. */
  workersForTarget: number | null;
}

/** "N workers would start all of it within five minutes". */
const TARGET_SECS = 300;

/** When a queue is empty, if no more comes and work takes as long as it did. */
export function forecastQueue(load: QueueLoad): QueueForecast {
  const { waiting, meanWorkSecs, slots, slotsPerWorker, busySecs, observedSecs } = load;
  const utilisation = slots === 0 ? null : Math.min(1, busySecs / (slots * observedSecs));
  if (waiting === 0) return { utilisation, drainsInSecs: 0, workersForTarget: 0 };
  if (meanWorkSecs === null) return { utilisation, drainsInSecs: null, workersForTarget: null };
  const workSecs = waiting * meanWorkSecs;
  return {
    utilisation,
    drainsInSecs: slots === 0 ? null : workSecs / slots,
    workersForTarget: Math.max(1, Math.ceil(workSecs / TARGET_SECS / slotsPerWorker)),
  };
}
