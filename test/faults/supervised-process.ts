import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../support/eventually';
import { pause } from './fault-options';

const RESTART_MS = 200;
/** On a machine that is busy with other things. */
const START_MS = 120_000;
const STORED_LOG = 20_000;
const LAST_WORDS = 4_000;
/** What a process says of trouble of its own making, not of something that is away. */
const INTERNAL_ERROR = /internal_error/;

export interface SupervisedCommand {
  name: string;
  file: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  /** What it logs when it is ready. */
  ready: RegExp;
}

/** A process that is started again whenever it ends, as an orchestrator would. */
export class SupervisedProcess {
  log = '';
  readonly internalErrors: string[] = [];
  /** How it has ended so far: with which exit code, or by which signal, and after which words. */
  readonly ends: { by: number | NodeJS.Signals | null; log: string }[] = [];
  starts = 0;
  private child: ChildProcess | null = null;
  private stopped = false;
  private restartMs = RESTART_MS;

  constructor(private readonly command: SupervisedCommand) {}

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    this.launch();
    await this.untilStarted(1);
  }

  /** Ends it, in order by default, and waits until the next one is ready. */
  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { starts } = this;
    this.signal(signal);
    await this.untilStarted(starts + 1);
  }

  /** Ends it at once, and waits until the next one is ready, which is started only after this time. */
  async down(ms: number): Promise<void> {
    this.restartMs = ms;
    try {
      await this.restart('SIGKILL');
    } finally {
      this.restartMs = RESTART_MS;
    }
  }

  private async untilStarted(times: number): Promise<void> {
    await eventually(
      () => {
        if (this.starts < times || !this.command.ready.test(this.log))
          throw new Error(
            `${this.command.name} is not ready; it says:\n${this.ends.at(-1)?.log}\n${this.log}`,
          );
      },
      { withinMs: START_MS },
    );
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name);
  }

  async freeze(ms: number): Promise<void> {
    const { child } = this;
    child?.kill('SIGSTOP');
    await pause(ms);
    child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.stopped = true;
    const { child } = this;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }

  private launch(): void {
    const { file, args, env } = this.command;
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.starts += 1;
    this.log = '';
    this.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => this.keep(text.toString()));
    child.once('exit', (code, signal) => {
      this.ends.push({ by: code ?? signal, log: this.log.slice(-LAST_WORDS) });
      void this.launchAgain();
    });
  }

  private keep(text: string): void {
    this.log = (this.log + text).slice(-STORED_LOG);
    this.internalErrors.push(...text.split('\n').filter((line) => INTERNAL_ERROR.test(line)));
  }

  private async launchAgain(): Promise<void> {
    await pause(this.restartMs);
    if (!this.stopped) this.launch();
  }
}
