import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { childEnvironment, type AppConfig } from '../../libs/config/app-config';
import { eventually } from './eventually';

const ENTRY = join(__dirname, '..', '..', 'dist', 'apps', 'worker', 'src', 'main.js');

/** A built worker in a process of its own, to be killed, frozen and stopped. */
export class WorkerProcess {
  log = '';
  private readonly child: ChildProcess;

  /** @param more what the configuration does not keep as it was written */
  constructor(config: AppConfig, { usageSinks }: { usageSinks?: string } = {}) {
    this.child = spawn(process.execPath, ['-e', 'require(process.argv[1]).runWorker()', ENTRY], {
      env: childEnvironment({
        DATABASE_URL: config.databaseUrl,
        REDIS_URL: config.redisUrl ?? '',
        APP_SECRET: config.requireAppSecret(),
        DNSMOS_MODEL_PATH: config.dnsmosModelPath ?? '',
        AUDIT_STREAM_URL: config.auditStreamUrl,
        USAGE_SINKS: usageSinks,
        COUNTRY_TABLE_PATH: config.countryTablePath,
        WEBHOOK_PRIVATE_NETWORKS: config.webhookPrivateNetworks,
        SMTP_URL: config.mail?.server.href,
        MAIL_FROM: config.mail?.from,
        PUBLIC_URL: config.mail?.publicUrl,
        LOG_LEVEL: 'log',
        OTEL_EXPORTER_OTLP_ENDPOINT: config.otlpEndpoint,
        LOG_FORMAT: 'json',
      }),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (text: Buffer) => (this.log += text.toString()));
  }

  async waitForLog(text: RegExp): Promise<void> {
    await eventually(() => {
      if (!text.test(this.log)) throw new Error(`not logged ${String(text)}; logged:\n${this.log}`);
    });
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  disconnect(): void {
    this.child.disconnect();
  }

  /** Waits for its end; the exit code, or the signal that ended it. */
  async end(): Promise<number | NodeJS.Signals | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode ?? this.child.signalCode;
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.end();
  }
}
