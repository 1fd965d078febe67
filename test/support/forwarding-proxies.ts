import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually';
import { freePort } from './redis-server';
import { TemporaryFolder } from './temporary-folder';

const EXAMPLES = join(__dirname, '../../deploy/proxies/forward-auth');
/** Debian installs them where only root looks for programs. */
const PATH = `${process.env.PATH}:/usr/sbin`;

interface Addresses {
  /** Host and port. */
  greenroom: string;
  service: string;
  credential: string;
}

interface Example {
  probe: readonly string[];
  /** The command, and what it reads, for an address to listen at. */
  command: (
    listen: string,
    addresses: Addresses,
    folder: string,
  ) => { args: string[]; env: Record<string, string> };
}

const EXAMPLES_OF = {
  nginx: {
    probe: ['-v'],
    command(listen, { greenroom, service, credential }, folder) {
      const filled = readFileSync(join(EXAMPLES, 'nginx.conf'), 'utf8')
        .replaceAll('127.0.0.1:3000', greenroom)
        .replaceAll('127.0.0.1:8081', service)
        .replaceAll('grs_CREDENTIAL', credential)
        .replace('listen 8080', `listen ${listen}`);
      writeFileSync(join(folder, 'nginx.conf'), filled);
      const global = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;`;
      return { args: ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', global], env: {} };
    },
  },
  caddy: {
    probe: ['version'],
    command: (listen, { greenroom, service, credential }, folder) => ({
      args: ['run', '--adapter', 'caddyfile', '--config', join(EXAMPLES, 'Caddyfile')],
      env: {
        LISTEN: listen,
        GREENROOM: greenroom,
        GREENROOM_CREDENTIAL: credential,
        SERVICE: service,
        HOME: folder,
      },
    }),
  },
  haproxy: {
    probe: ['-v'],
    command: (listen, { greenroom, service, credential }) => ({
      args: ['-db', '-f', join(EXAMPLES, 'haproxy.cfg')],
      env: {
        LISTEN: listen,
        LUA: EXAMPLES,
        GREENROOM: `http://${greenroom}`,
        GREENROOM_CREDENTIAL: credential,
        SERVICE: service,
      },
    }),
  },
} satisfies Record<string, Example>;

export type ProxyName = keyof typeof EXAMPLES_OF;

/** The proxies that this machine has. */
export const FORWARDING_PROXIES = (Object.keys(EXAMPLES_OF) as ProxyName[]).filter((name) => {
  const isThere = spawnSync(name, [...EXAMPLES_OF[name].probe], { env: { PATH } }).status === 0;
  if (!isThere)
    console.warn(`${name} is not on the PATH: its example is LEFT OUT. Debian: apt-get install ${name}.`);
  return isThere;
});

/** A proxy with its example of `deploy/proxies/forward-auth`, on a free port of this machine. */
export class ForwardingProxy {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: TemporaryFolder,
  ) {}

  static async start(name: ProxyName, addresses: Addresses): Promise<ForwardingProxy> {
    const folder = TemporaryFolder.make('greenroom-forwarding-');
    const listen = `127.0.0.1:${await freePort()}`;
    const { args, env } = EXAMPLES_OF[name].command(listen, addresses, folder.path);
    const child = spawn(name, args, { env: { PATH, ...env }, stdio: 'ignore' });
    const proxy = new ForwardingProxy(`http://${listen}`, child, folder);
    await eventually(() => fetch(proxy.url));
    return proxy;
  }

  async stop(): Promise<void> {
    // nginx ends its own processes then.
    if (this.child.exitCode === null && this.child.kill('SIGTERM')) await once(this.child, 'exit');
    this.folder.remove();
  }
}
