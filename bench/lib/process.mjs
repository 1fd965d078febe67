import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';

const TICKS_PER_SEC = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100;
const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Servers on the first processor, load on the last one, where the system lets us choose. */
const CPU = { server: '0', load: String(availableParallelism() - 1) };

function pinned(role, file, args) {
  return canPin ? ['taskset', ['-c', CPU[role], file, ...args]] : [file, args];
}

/** A server under measurement. It prints `ready <port>` when it listens. */
export class Subject {
  constructor(child) {
    this.child = child;
    this.log = '';
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on(
        'line',
        (line) => (this.log = `${this.log}${line}\n`.slice(-4_000)),
      );
    }
  }

  /** `alone`: it shares the machine with no other server under measurement, and gets a processor of its own. */
  static async start(file, args = [], env = {}, { alone = true } = {}) {
    const command = [file, ...args];
    const run = alone ? pinned('server', process.execPath, command) : [process.execPath, command];
    const child = spawn(...run, {
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const subject = new Subject(child);
    await subject.ready();
    return subject;
  }

  async ready() {
    for (let waited = 0; waited < 30_000; waited += 50) {
      const port = /ready (\d+)|Ready for jobs|Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(this.log);
      if (port) return void (this.baseUrl = `http://127.0.0.1:${port[1] ?? port[2]}`);
      if (this.child.exitCode !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`A server did not start:\n${this.log}`);
  }

  /** Processor time so far, in microseconds. */
  cpuUs() {
    return cpuUsOf(this.child.pid);
  }

  rssMb() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  signal(name) {
    this.child.kill(name);
  }

  async stop(signal = 'SIGTERM') {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    const forced = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(forced);
  }
}

/** Processor time of a process and its children, in microseconds; 0 where the system does not report it. */
export function cpuUsOf(pid) {
  return (cpuTicks(pid) * 1_000_000) / TICKS_PER_SEC;
}

function cpuTicks(pid) {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = readFileSync(file, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Processor time of a process, of those that it has started, and of those that have ended, in microseconds. */
export function cpuUsOfTree(parentPid) {
  const own = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === parentPid);
  return [parentPid, ...own].reduce((sum, pid) => sum + cpuUsOf(pid), reapedUs(parentPid));
}

/** Processor time of PostgreSQL's processes, in microseconds. */
export const postgresCpuUs = cpuUsOfTree;

function parentOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]);
  } catch {
    return 0;
  }
}

/** Processor time of children that have ended. */
function reapedUs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return ((Number(fields[13]) + Number(fields[14])) * 1_000_000) / TICKS_PER_SEC;
}

/** Runs a program that makes load; its standard output. */
export async function runLoad(file, args, env = {}) {
  const child = spawn(...pinned('load', file, args), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, complaint] = ['', ''];
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (complaint += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${complaint.trim().split('\n').at(-1)}`);
  return output;
}
