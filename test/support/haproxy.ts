import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually';
import { queryAs } from './query-as';
import { freePort } from './redis-server';
import { TemporaryFolder } from './temporary-folder';

/** Debian installs it where only root looks for programs. */
const PATH = `${process.env.PATH}:/usr/sbin`;

export const hasHaproxy = spawnSync('haproxy', ['-v'], { env: { PATH } }).status === 0;
if (!hasHaproxy)
  console.warn('haproxy is not on the PATH: its tests are left out. Debian: apt-get install haproxy.');

/** A HAProxy on a free port of this machine. */
export class Haproxy {
  private constructor(
    readonly address: string,
    private readonly child: ChildProcess,
  ) {}

  /** @param env what the configuration reads, beside `LISTEN`, its address */
  static async start(configuration: string, env: Record<string, string> = {}): Promise<Haproxy> {
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn('haproxy', ['-db', '-f', configuration], {
      env: { PATH, LISTEN: address, ...env },
      stdio: 'ignore',
    });
    return new Haproxy(address, child);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.kill('SIGKILL')) await once(this.child, 'exit');
  }
}

/** A HAProxy in front of two PostgreSQL: it leads to the second when the first does not respond. */
export class PostgresBalancer {
  private constructor(
    /** The servers, through this balancer. */
    readonly url: string,
    private readonly haproxy: Haproxy,
    private readonly folder: TemporaryFolder,
  ) {}

  static async before(first: string, second: string): Promise<PostgresBalancer> {
    const folder = TemporaryFolder.make('greenroom-haproxy-');
    const configuration = join(folder.path, 'haproxy.cfg');
    const url = new URL(first);
    const servers = [`server first ${url.host} check`, `server second ${new URL(second).host} check backup`];
    writeFileSync(configuration, cfg(url.username, servers));
    const haproxy = await Haproxy.start(configuration);
    url.host = haproxy.address;
    await eventually(() => queryAs(url.href, 'SELECT 1'));
    return new PostgresBalancer(url.href, haproxy, folder);
  }

  async stop(): Promise<void> {
    await this.haproxy.stop();
    this.folder.remove();
  }
}

function cfg(user: string, servers: string[]): string {
  return [
    'defaults',
    ' mode tcp',
    ' timeout connect 2s',
    ' timeout client 1m',
    ' timeout server 1m',
    'listen postgres',
    ' bind "${LISTEN}"',
    ` option pgsql-check user ${user}`,
    ' default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers.map((server) => ` ${server}`),
    '',
  ].join('\n');
}
