import 'reflect-metadata';
import { loadConfig, type AppConfig } from '@app/config/app-config';
import { environmentWarnings } from '@app/config/environment-warnings';
import { createLogger } from '@app/config/logger';
import { saveCompiledCode } from '@app/config/program-bundle';
import { stopRequest } from '@app/connections/stop-request';
import { describeRelease } from '@app/database/schema/release';
import { OperationWatch } from '@app/operations/operation-watch';
import { startTracing } from '@app/telemetry/tracing';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setFlagsFromString } from 'node:v8';
import { ApiModule } from './api.module';
import { ExplainService, type ExplainQuery, type Explanation } from './explain/explain.service';
import { Drain } from './server/drain';
import { configureApp, createAdapter } from './server/configure-app';
import { MetricsPort } from './telemetry/metrics-port';

/**
 * By how much the old part of the heap may grow before it is collected, in percent of what is live. V8 alone lets it
 * more than double: 20,000 keys in turn took an api to 509 MB, and to 312 with this. Less costs CPU (bench/NOTES.md).
 */
const HEAP_GROWTH_PERCENT = 45;

/**
 * V8 puts what some places in the code allocate into the old part of the heap at once, when most of it survived while the process started.
 * A request survives only until its response; a dead one there keeps the young objects that it points to, and those are copied again
 * and again: 6.9 ms for each collection of the young instead of 0.9, and half as much again for a verified request (bench/NOTES.md).
 */
const HEAP_FLAGS = [`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`, '--no-allocation-site-pretenuring'];

/**
 * Connections that may wait to be accepted; Node's 511 are full when one client opens a thousand at once, and those of others are
 * then tried again after a second. The kernel may allow fewer (`net.core.somaxconn`).
 */
const BACKLOG = 4_096;

/** Builds the api without listening. */
export async function createApi(config: AppConfig): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.forRoot(config),
    createAdapter(config),
    {
      logger: createLogger(config, 'api'),
      bodyParser: false,
      abortOnError: false,
    },
  );
  configureApp(app);
  await app.init();
  return app;
}

/** Says what would become of a request with a key. The routes are those of the api, which is built for this and does not listen. */
export async function explainRequest(config: AppConfig, query: ExplainQuery): Promise<Explanation> {
  const api = await createApi(config);
  try {
    return await api.get(ExplainService).explain(query);
  } finally {
    await api.close();
  }
}

/** Runs the api until it has to stop: SIGTERM, SIGINT, or the launcher that started it is gone. */
export async function runApi(): Promise<void> {
  const config = loadConfig();
  createLogger(config, 'api').log(`Greenroom ${describeRelease()}`, 'Api');
  await startTracing(config, 'greenroom-api');
  const app = await createApi(config);
  for (const warning of environmentWarnings()) new Logger('Config').warn(warning);
  void stopRequest().then(() => stop(app));
  const shortage = await app.get(OperationWatch).findShortage('api');
  if (shortage !== null) new Logger('Api').warn(shortage);
  await app.get(MetricsPort).open();
  saveCompiledCode();
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
  await app.listen({ port: config.port, host: config.host, backlog: BACKLOG });
  new Logger('Api').log(`Listening on ${await app.getUrl()}`);
}

/** Lets the load balancer notice, serves what has begun, and ends the process. */
async function stop(app: NestFastifyApplication): Promise<void> {
  await app.get(Drain).run();
  await app.close().catch((error: Error) => new Logger('Api').warn(`Not closed cleanly: ${error.message}`));
  process.exit();
}

// `nest start api` runs this file itself; the launcher calls `runApi`.
if (require.main === module) void runApi();
