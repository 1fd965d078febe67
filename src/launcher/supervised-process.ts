import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { BackOff } from './back-off';
import { LaunchError, reasonOf } from './launch-error';

/** What to run. */
export interface Command {
  file: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  stdio: StdioOptions;
  cwd?: string;
  uid?: number;
  gid?: number;
}

interface ProcessPlan {
  /** Called before every attempt. */
  command: () => Command | Promise<Command>;
  /** Resolves when the process does its work. Need not settle when the process ends or the signal aborts. */
  whenReady: (child: ChildProcess, signal: AbortSignal) => Promise<void>;
  /** How to stop it: signals in order, each with the time it gets before the next. SIGKILL follows the last. */
  stopSignals: { signal: NodeJS.Signals; graceMs: number }[];
  /** How to end it at once without harm to its data. */
  forceSignal: NodeJS.Signals;
  /** A line of its standard output or standard error. */
  onLine: (line: string) => void;
  /** Something that the supervisor did or saw. */
  onNote: (note: string) => void;
  /** The pid of the running process, or null when there is none. */
  onPid: (pid: number | null) => void;
  backOff?: BackOff;
  /** For how long it waits itself for what it needs to start: one that ended after that is not started again. */
  waitMs?: number;
}

/** Failures in a row, without ever having been ready, after which the supervisor stops trying. */
const START_ATTEMPTS = 4;

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: Error;
}

/** A process that is started again, with growing pauses, whenever it exits unasked. */
export class SupervisedProcess {
  private readonly stopRequest = new AbortController();
  private readonly backOff: BackOff;
  private child: ChildProcess | null = null;
  private exit: Promise<Exit> = Promise.resolve({ code: null, signal: null });
  private everReady = false;
  private restarting = false;
  private supervision: Promise<void> = Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly plan: ProcessPlan,
  ) {
    this.backOff = plan.backOff ?? new BackOff();
  }

  /**
   * Starts the process and supervises it.
   *
   * @returns when it is ready for the first time
   * @throws LaunchError when it stops again and again without ever being ready, or is stopped before
   */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const stopped = () => reject(new LaunchError(`${this.name} was stopped before it was ready.`));
      this.supervision = this.supervise(resolve).then(stopped, reject);
    });
  }

  get isRunning(): boolean {
    return this.child !== null;
  }

  /** Signals the process to stop and waits until it is gone; it is not started again. */
  async stop(): Promise<void> {
    this.stopRequest.abort();
    await this.askToStop();
    await this.supervision;
  }

  /** Ends the process at once; it is not started again. */
  force(): void {
    this.stopRequest.abort();
    this.signal(this.plan.forceSignal);
  }

  /** Stops the process in order and starts it again without a pause. */
  async restart(): Promise<void> {
    this.restarting = true;
    await this.askToStop();
  }

  private async supervise(onReady: () => void): Promise<void> {
    const { signal } = this.stopRequest;
    for (let attempt = 1; !signal.aborted; attempt++) {
      const startedAt = Date.now();
      const exit = await this.attempt(onReady);
      if (signal.aborted) return;
      const hasWaited = Date.now() - startedAt >= (this.plan.waitMs ?? Infinity);
      if (!this.everReady && (hasWaited || attempt >= START_ATTEMPTS)) {
        throw new LaunchError(`${this.name} does not start: ${describeExit(exit)}. The lines above say why.`);
      }
      await this.pause(exit, Date.now() - startedAt);
    }
  }

  private async pause(exit: Exit, uptimeMs: number): Promise<void> {
    if (this.restarting) {
      this.restarting = false;
      return;
    }
    const waitMs = this.backOff.next(uptimeMs);
    this.plan.onNote(`${describeExit(exit)}; starting again in ${waitMs / 1000} s`);
    await delay(waitMs, undefined, { signal: this.stopRequest.signal }).catch(() => undefined);
  }

  /** Once it has been ready, what is in the way of a start may pass: a full disk, no memory. */
  private async attempt(onReady: () => void): Promise<Exit> {
    try {
      return await this.runOnce(onReady);
    } catch (error) {
      if (!this.everReady) throw error;
      return { code: null, signal: null, error: error as Error };
    }
  }

  private async runOnce(onReady: () => void): Promise<Exit> {
    const { file, args, ...options } = await this.plan.command();
    if (this.stopRequest.signal.aborted) return { code: null, signal: null };
    // A separate session: a Ctrl-C reaches the launcher only, which then stops everything in order.
    const child = spawn(file, args, { ...options, detached: true });
    // `exitOf` reports the first; one that comes later is of a signal that could not be sent.
    child.on('error', () => undefined);
    const over = new AbortController();
    this.child = child;
    this.exit = exitOf(child);
    this.plan.onPid(child.pid ?? null);
    const output = [this.forward(child.stdout), this.forward(child.stderr)];
    void this.announce(child, over.signal, onReady);
    const exit = await this.exit;
    over.abort();
    this.child = null;
    this.plan.onPid(null);
    await Promise.race([Promise.all(output), delay(500)]);
    return exit;
  }

  private async announce(child: ChildProcess, over: AbortSignal, onReady: () => void): Promise<void> {
    try {
      await this.plan.whenReady(child, over);
    } catch (error) {
      if (!over.aborted) this.plan.onNote(`cannot determine whether it is ready: ${reasonOf(error)}`);
      return;
    }
    if (over.aborted) return;
    this.everReady = true;
    onReady();
  }

  private async forward(stream: ChildProcess['stdout']): Promise<void> {
    if (!stream) return;
    try {
      for await (const line of createInterface({ input: stream })) this.plan.onLine(line);
    } catch (error) {
      this.plan.onNote(`its output cannot be read: ${reasonOf(error)}`);
    }
  }

  private async askToStop(): Promise<void> {
    const { child } = this;
    if (!child) return;
    for (const { signal, graceMs } of this.plan.stopSignals) {
      this.signal(signal);
      if (await settlesWithin(this.exit, graceMs)) return;
      this.plan.onNote(`still running ${graceMs / 1000} s after ${signal}`);
    }
    this.signal('SIGKILL');
    await this.exit;
  }

  private signal(signal: NodeJS.Signals): void {
    try {
      this.child?.kill(signal);
    } catch {
      // It has just gone.
    }
  }
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return { code, signal };
  } catch (error) {
    return { code: null, signal: null, error: error as Error };
  }
}

function describeExit({ code, signal, error }: Exit): string {
  if (error) return `cannot be run (${reasonOf(error)})`;
  return signal ? `was ended by ${signal}` : `stopped with exit code ${code}`;
}

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return settled;
}
