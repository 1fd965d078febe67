import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseServerAccount } from '../../src/launcher/postgres-account';
import { eventually } from './eventually';
import { queryAs } from './query-as';
import { freePort } from './redis-server';

/** Debian installs it where only root looks for programs. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

export const hasPgBouncer = spawnSync('pgbouncer', ['--version'], { env }).status === 0;
if (!hasPgBouncer)
  console.warn('pgbouncer is not on the PATH: its tests are left out. Debian: apt-get install pgbouncer.');

/** A PgBouncer in front of a PostgreSQL, with its own defaults but for the given settings. */
export class PgBouncer {
  private constructor(
    /** The target, through this pooler. */
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(target: string, settings: Record<string, string>): Promise<PgBouncer> {
    const url = new URL(target);
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-pgbouncer-'));
    const port = await freePort();
    const configuration = join(folder, 'pgbouncer.ini');
    writeFileSync(join(folder, 'users'), `"${url.username}" "${decodeURIComponent(url.password)}"\n`);
    writeFileSync(configuration, ini(url, port, { auth_file: join(folder, 'users'), ...settings }));
    // It does not run as root.
    const { uid, gid } = chooseServerAccount(folder, () => undefined);
    if (uid !== undefined) chownSync(folder, uid, gid!);
    const child = spawn('pgbouncer', ['--quiet', configuration], { env, uid, gid, stdio: 'ignore' });
    url.host = `127.0.0.1:${port}`;
    await eventually(() => queryAs(url.href, 'SELECT 1'));
    return new PgBouncer(url.href, child, folder);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.kill('SIGKILL')) await once(this.child, 'exit');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function ini({ hostname, port }: URL, listenPort: number, settings: Record<string, string>): string {
  const lines = Object.entries({ ...settings, listen_addr: '127.0.0.1', listen_port: listenPort });
  return [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    'auth_type = plain',
    'unix_socket_dir =',
    ...lines.map(([name, value]) => `${name} = ${value}`),
    '',
  ].join('\n');
}
