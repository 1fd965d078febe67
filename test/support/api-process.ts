import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment, type AppConfig } from '../../libs/config/app-config';
import type { VariableName } from '../../libs/config/variables';
import { freePort } from '../../src/launcher/free-port';
import { shiftedClock } from './shifted-clock';

const BUILT_MAIN = join(__dirname, '../../dist/src/main.js');

interface ApiProcessOptions {
  shiftClockMs?: number;
  warningsFile?: string;
  /** How many share the port. */
  processes?: number;
  metricsPort?: number;
  /** A free one when left out. */
  port?: number;
  env?: Partial<Record<VariableName, string>>;
}

/** A built api in a process of its own, to be killed. */
export class ApiProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** Starts one and waits until it listens. With a `warningsFile`, Node writes the warnings of the process there. */
  static async start(
    config: Pick<AppConfig, 'databaseUrl' | 'redisUrl' | 'appSecret' | 'drainSecs' | 'otlpEndpoint'>,
    { shiftClockMs = 0, warningsFile, processes = 1, metricsPort, port: fixed, env }: ApiProcessOptions = {},
  ): Promise<ApiProcess> {
    if (!existsSync(BUILT_MAIN)) throw new Error('This test runs the built api: run "npm run build" first.');
    const clock = shiftedClock({ ms: shiftClockMs });
    const port = String(fixed ?? (await freePort('127.0.0.1')));
    const child = fork(BUILT_MAIN, ['api'], {
      env: {
        ...childEnvironment({
          DATABASE_URL: config.databaseUrl,
          REDIS_URL: config.redisUrl ?? '',
          APP_SECRET: config.appSecret,
          PORT: port,
          DRAIN_SECS: String(config.drainSecs),
          API_PROCESSES: String(processes),
          METRICS_PORT: String(metricsPort ?? ''),
          LOG_LEVEL: 'error',
          OTEL_EXPORTER_OTLP_ENDPOINT: config.otlpEndpoint,
          ...env,
        }),
        ...clock.env,
      },
      execArgv: [...clock.execArgv, ...(warningsFile ? [`--redirect-warnings=${warningsFile}`] : [])],
      stdio: 'inherit',
    });
    await once(child, 'message');
    return new ApiProcess(`http://127.0.0.1:${port}`, child);
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The most memory that it has had at a time so far, in MB; 0 when it has ended. */
  get peakMb(): number {
    if (!this.isAlive) return 0;
    const [, kb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kb) / 1024);
  }

  /** What its event loop has computed so far: the processor time of its first thread, in milliseconds. */
  get loopCpuMs(): number {
    const { pid } = this.child;
    const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // In ticks of a hundredth of a second, in user and in system mode (proc(5), fields 14 and 15).
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** The processes that it has started. */
  get childPids(): number[] {
    const { pid } = this.child;
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return pids === '' ? [] : pids.split(' ').map(Number);
  }

  /** Freezes it, lets it continue, or sends it the signal to stop without waiting. */
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.child.kill(name);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (!this.isAlive) return;
    this.child.kill(signal);
    await once(this.child, 'exit');
  }
}
