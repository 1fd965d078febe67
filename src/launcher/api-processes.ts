import { loadConfig } from '@app/config/app-config';
import { MetricsServer } from '@app/telemetry/metrics-server';
import { ProcessMetrics } from '@app/telemetry/process-metrics';
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from './back-off';
import { LaunchError, reasonOf } from './launch-error';
import { READY } from './node-child';

/**
 * Several processes of the api on one port. This process accepts the connections and hands them round; to the database and
 * to each other, the others are as separate as if they ran on different machines. One that ends is started again.
 */
export class ApiProcesses {
  private readonly stopping = new AbortController();
  private readonly backOff = new BackOff();

  /**
   * Starts them, and ends this process when they have all stopped after SIGTERM or SIGINT, or when the launcher is gone.
   *
   * @returns when all of them are ready, or were stopped before that
   * @throws LaunchError when one exits before it has been ready
   */
  async run(count: number): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.stop());
    process.once('disconnect', () => this.stop());
    const metrics = await serveMetrics();
    const places = Array.from({ length: this.stopping.signal.aborted ? 0 : count }, () => this.start());
    await Promise.all(places.map(({ ready }) => ready));
    void Promise.all(places.map(({ ended }) => ended)).then(() => {
      metrics?.stop();
      process.exit();
    });
  }

  /** Each signal is passed on to the processes: the first stops them in order, a second one at once. */
  private stop(): void {
    this.stopping.abort();
    for (const worker of liveWorkers()) worker.process.kill('SIGTERM');
  }

  private start(): { ready: Promise<void>; ended: Promise<void> } {
    const first = fork();
    const ready = new Promise<void>((resolve, reject) => {
      first.on('message', (message) => message === READY && resolve());
      first.once('exit', () => {
        // The process ends when the others have finished their requests.
        if (this.stopping.signal.aborted) return resolve();
        reject(new LaunchError('The api does not start. The lines above say why.'));
      });
    });
    return { ready, ended: this.keepRunning(first) };
  }

  private async keepRunning(first: Worker): Promise<void> {
    const { signal } = this.stopping;
    for (let worker: Worker | null = first; ; worker = forkOrNull()) {
      const startedAt = Date.now();
      if (worker) await endOf(worker);
      if (signal.aborted) return;
      const waitMs = this.backOff.next(Date.now() - startedAt);
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }
}

/** A signal or a message that did not reach it is an error; `endOf` distinguishes it from a process that never began. */
function fork(): Worker {
  return cluster.fork().on('error', () => undefined);
}

/** A machine without memory or processes left has some again later. */
function forkOrNull(): Worker | null {
  try {
    return fork();
  } catch (error) {
    process.stderr.write(`greenroom: a process of the api cannot be started: ${reasonOf(error)}\n`);
    return null;
  }
}

/** Settles when a process has ended, or could not be started. */
async function endOf(worker: Worker): Promise<void> {
  await new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
    worker.on('error', () => {
      if (worker.process.pid === undefined) resolve();
    });
  });
}

function liveWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

async function serveMetrics(): Promise<MetricsServer | undefined> {
  const { metricsPort, host } = loadConfig();
  if (metricsPort === undefined) return undefined;
  return MetricsServer.start(new ProcessMetrics(), metricsPort, host);
}
