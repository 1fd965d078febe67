import { AppConfig } from '@app/config/app-config';
import type { Metrics } from '@app/telemetry/metrics';
import { MetricsServer } from '@app/telemetry/metrics-server';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Where this process serves its metrics, if it does. */
@Injectable()
export class MetricsPort implements OnApplicationShutdown {
  private metrics: Metrics | null = null;
  private server: Promise<MetricsServer> | null = null;

  constructor(private readonly config: AppConfig) {}

  /** Serves these when the port is opened. */
  serve(metrics: Metrics): void {
    this.metrics = metrics;
  }

  /** Opens METRICS_PORT, once. @throws ConfigError when the port cannot be had */
  async open(): Promise<void> {
    const { metricsPort, host } = this.config;
    if (!this.metrics || metricsPort === undefined) return;
    this.server ??= MetricsServer.start(this.metrics, metricsPort, host);
    await this.server;
  }

  async onApplicationShutdown(): Promise<void> {
    const server = await this.server?.catch(() => null);
    server?.stop();
  }
}
