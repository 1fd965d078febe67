import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './redis-server';
import { eventually } from './eventually';

/** Debian installs it where only root looks for programs. */
const PATH = `${process.env.PATH}:/usr/sbin`;

export const hasHaproxy = spawnSync('haproxy', ['-v'], { env: { PATH } }).status === 0;
if (!hasHaproxy)
  console.warn('haproxy is not on the PATH: its tests are left out. Debian: apt-get install haproxy.');

/** An HAProxy that listens on a free port of this machine. */
export class Haproxy {
  private constructor(
    readonly address: string,
    private readonly child: ChildProcess,
  ) {}

  /** @param env what the configuration reads, beside `LISTEN`, its address */
  static async start(configuration: string, env: Record<string, string>): Promise<Haproxy> {
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn('haproxy', ['-db', '-f', configuration], {
      env: { PATH, LISTEN: address, ...env },
      stdio: 'ignore',
    });
    await eventually(() => fetch(`http://${address}/`));
    return new Haproxy(address, child);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.kill('SIGKILL')) await once(this.child, 'exit');
  }
}
