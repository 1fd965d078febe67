import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Certificates } from './certificates';
import { eventually } from './eventually';
import { freePort } from './redis-server';
import { TemporaryFolder } from './temporary-folder';

const FOLDER = join(__dirname, '../../deploy/proxies/reverse');
/** Debian installs some where only root looks for programs. */
const PATH = `${process.env.PATH}:/usr/sbin`;
const CERTIFICATE = '/etc/greenroom/tls/fullchain.pem';
const KEY = '/etc/greenroom/tls/privkey.pem';

interface Place {
  folder: string;
  port: number;
  /** A port that nobody uses. */
  free: number;
  upstream: string;
  tls: Certificates;
}

/** How each is started with its example, of which only ports and paths are replaced. */
const PROXIES = {
  nginx: {
    version: ['-v'],
    start: ({ folder, port, free, upstream, tls }: Place) => {
      const example = read('nginx.conf')
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('listen 80;', `listen 127.0.0.1:${free};`)
        .replace('server 127.0.0.1:3000;', `server ${upstream};`)
        .replace(CERTIFICATE, tls.certFile)
        .replace(KEY, tls.keyFile);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join(' ');
      const main = `daemon off; pid ${folder}/pid; events {} http { access_log off; ${temporary} include ${folder}/example; }`;
      writeFileSync(join(folder, 'example'), example);
      writeFileSync(join(folder, 'main'), main);
      return { args: ['-e', 'stderr', '-c', join(folder, 'main')], env: {} };
    },
  },
  caddy: {
    version: ['version'],
    start: ({ folder, port, free, upstream, tls }: Place) => {
      const example = read('Caddyfile')
        .replace('greenroom.example.com {', `https://localhost:${port} {`)
        .replace('127.0.0.1:3000', upstream)
        .replace(CERTIFICATE, tls.certFile)
        .replace(KEY, tls.keyFile);
      writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\thttp_port ${free}\n}\n${example}`);
      const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
      return { args: ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], env };
    },
  },
  haproxy: {
    version: ['-v'],
    start: ({ folder, port, upstream, tls }: Place) => {
      const pem = join(folder, 'greenroom.pem');
      writeFileSync(pem, readFileSync(tls.certFile, 'utf8') + readFileSync(tls.keyFile, 'utf8'));
      const env = { LISTEN: `127.0.0.1:${port}`, CERTIFICATE: pem, GREENROOM: upstream };
      return { args: ['-db', '-f', join(FOLDER, 'haproxy.cfg')], env };
    },
  },
};

export type ProxyName = keyof typeof PROXIES;
export const PROXY_NAMES = Object.keys(PROXIES) as ProxyName[];

const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

export function hasProxy(name: ProxyName): boolean {
  const found = spawnSync(name, PROXIES[name].version, { env: { PATH } }).status === 0;
  if (!found)
    console.warn(`${name} is not on the PATH: its tests are LEFT OUT. Debian: apt-get install ${name}.`);
  return found;
}

/** A proxy by its example, before a server. */
export class ReverseProxy {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly folder: TemporaryFolder,
  ) {}

  static async start(name: ProxyName, upstream: string, tls: Certificates): Promise<ReverseProxy> {
    const folder = TemporaryFolder.make('greenroom-proxy-');
    const port = await freePort();
    const place = { folder: folder.path, port, free: await freePort(), upstream, tls };
    const { args, env } = PROXIES[name].start(place);
    const child = spawn(name, args, { env: { PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', (text: Buffer) => (output += text.toString()));
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`${name} has ended: ${output}`);
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect').finally(() => socket.destroy());
    });
    return new ReverseProxy(port, child, folder);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.kill('SIGTERM')) await once(this.child, 'exit');
    this.folder.remove();
  }
}
