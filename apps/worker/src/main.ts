import 'reflect-metadata';
import { loadConfig, type AppConfig } from '@app/config/app-config';
import { environmentWarnings } from '@app/config/environment-warnings';
import { createLogger } from '@app/config/logger';
import { saveCompiledCode } from '@app/config/program-bundle';
import { stopRequest } from '@app/connections/stop-request';
import { describeRelease } from '@app/database/schema/release';
import { startTracing } from '@app/telemetry/tracing';
import { Logger, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueueWatch } from './housekeeping/queue-watch';
import { WorkerModule } from './worker.module';

/** Over the time that running jobs have, and under the 15 s after which the launcher ends the process. */
const STOP_DEADLINE_MS = 13_000;

/** Starts a worker in this process. */
export async function createWorker(config: AppConfig): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(WorkerModule.forRoot(config), {
    logger: createLogger(config, 'worker'),
    abortOnError: false,
  });
}

/**
 * Runs a worker; resolves with it when it is ready. It stops on SIGTERM, SIGINT, when the launcher that started it is gone, and with
 * exit code 1 when it takes none of the jobs that wait.
 */
export async function runWorker(): Promise<INestApplicationContext> {
  const config = loadConfig();
  createLogger(config, 'worker').log(`Greenroom ${describeRelease()}`, 'Worker');
  await startTracing(config, 'greenroom-worker');
  const worker = await createWorker(config);
  for (const warning of environmentWarnings()) new Logger('Config').warn(warning);
  saveCompiledCode();
  new Logger('Worker').log('Ready for jobs');
  void stopRequest().then((reason) => stop(worker, reason, 0));
  // Its supervisor starts it again.
  void worker.get(QueueWatch).stuck.then(() => stop(worker, 'jobs wait and none is started', 1));
  return worker;
}

/** Ends the process. */
async function stop(worker: INestApplicationContext, reason: string, exitCode: number): Promise<void> {
  const logger = new Logger('Worker');
  logger.log(`Stopping: ${reason}`);
  const closed = worker.close().catch((error: Error) => logger.warn(`Not closed cleanly: ${error.message}`));
  await Promise.race([closed, sleep(STOP_DEADLINE_MS)]);
  process.exit(exitCode);
}

// `nest start worker` runs this file itself; the launcher calls `runWorker`.
if (require.main === module) void runWorker();
