import type { AppConfig } from '@app/config/app-config';
import { PACKAGE } from '@app/config/project-root';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { OpenTelemetry } from './open-telemetry';

/** Traces belong to a process, as OpenTelemetry's own state does. */
let started: OpenTelemetry | null = null;

/** Begins to trace this process when a collector is configured; otherwise nothing of OpenTelemetry is even loaded. */
export async function startTracing(
  { otlpEndpoint: endpoint, tracedShare: share }: AppConfig,
  serviceName: string,
): Promise<void> {
  if (endpoint === undefined) return;
  const { OpenTelemetry } = await import('./open-telemetry.js');
  started = new OpenTelemetry({ endpoint, serviceName, version: PACKAGE.version, share });
}

/** The traces of this process; null when they are switched off. */
export function tracing(): OpenTelemetry | null {
  return started;
}

/** Runs work in the trace that caused it, if there is one. */
export async function continueTrace<T>(
  traceparent: string | null,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  return started && traceparent !== null ? started.continue(traceparent, name, work) : work();
}

/** Sends the last traces when the process ends. */
@Injectable()
export class TracingEnd implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    await started?.stop().catch((error: Error) => {
      new Logger('Tracing').warn(`The last traces are not sent: ${error.message}`);
    });
  }
}
