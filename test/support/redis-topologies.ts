import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually';
import { makeCertificates } from './certificates';
import { freePort } from './redis-server';

/** Several redis-servers that make up one Redis, and the variables by which it is reached. */
export class RedisTopology {
  readonly folder = mkdtempSync(join(tmpdir(), 'greenroom-redis-'));
  variables: { REDIS_URL: string } & Record<string, string> = { REDIS_URL: '' };
  /** By port. */
  readonly servers = new Map<number, ChildProcess>();

  /** One server that responds over TLS only, with the password. */
  static async overTls(): Promise<RedisTopology> {
    const topology = new RedisTopology();
    const { ca, caFile, certFile, keyFile } = makeCertificates(topology.folder);
    const port = await freePort();
    const tls = ['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', caFile];
    const args = ['--port', '0', '--tls-port', String(port), ...tls, '--tls-auth-clients', 'no'];
    await topology.start(port, [...args, '--requirepass', 'pass word'], ['--tls', '--cacert', caFile]);
    topology.variables = { REDIS_URL: `rediss://:pass%20word@localhost:${port}/3`, REDIS_CA: ca };
    return topology;
  }

  /** A master with a replica, and a sentinel that puts the one in the place of the other. */
  static async withSentinel(): Promise<RedisTopology> {
    const topology = new RedisTopology();
    const [master, replica, sentinel] = [await freePort(), await freePort(), await freePort()];
    await topology.start(master, ['--port', String(master)]);
    await topology.start(replica, ['--port', String(replica), '--replicaof', '127.0.0.1', String(master)]);
    const file = join(topology.folder, 'sentinel.conf');
    const settings = [
      `port ${sentinel}`,
      `sentinel monitor the-master 127.0.0.1 ${master} 1`,
      'sentinel down-after-milliseconds the-master 1000',
      'sentinel failover-timeout the-master 5000',
    ];
    writeFileSync(file, settings.join('\n'));
    await topology.start(sentinel, [file, '--sentinel']);
    await eventually(() => {
      if (!cli(sentinel, 'sentinel', 'replicas', 'the-master').includes(String(replica)))
        throw new Error('The sentinel does not know the replica yet.');
    });
    topology.variables = {
      REDIS_URL: 'redis://the-master/1',
      REDIS_SENTINELS: `127.0.0.1:${await freePort()},127.0.0.1:${sentinel}`,
    };
    return topology;
  }

  /** A cluster of three masters. */
  static async ofThree(): Promise<RedisTopology> {
    const topology = new RedisTopology();
    const ports = await Promise.all([1, 2, 3].map(clusterPort));
    for (const port of ports) await topology.startNode(port);
    const nodes = ports.map((port) => `127.0.0.1:${port}`);
    const created = spawnSync('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-yes'], {
      encoding: 'utf8',
    });
    if (created.status !== 0) throw new Error(`No cluster: ${created.stdout}${created.stderr}`);
    await eventually(() => {
      for (const port of ports)
        if (!cli(port, 'cluster', 'info').includes('cluster_state:ok'))
          throw new Error(`${port} is not ready.`);
    });
    topology.variables = { REDIS_URL: 'redis://cluster', REDIS_CLUSTER: nodes.slice(0, 2).join() };
    return topology;
  }

  /** A node of a cluster; one that was there before knows its place. */
  async startNode(port: number): Promise<void> {
    const file = join(this.folder, `nodes-${port}.conf`);
    await this.start(port, [
      '--port',
      String(port),
      '--cluster-enabled',
      'yes',
      '--cluster-config-file',
      file,
    ]);
  }

  /** The port of the node that holds a key. */
  portOf(key: string): number {
    const [any] = this.servers.keys();
    const slot = Number(cli(any!, 'cluster', 'keyslot', key));
    const [, port] = cli(any!, 'cluster', 'nodes')
      .split('\n')
      .map((line) => /^\S+ [^:]+:(\d+)@.* (\d+)-(\d+)$/.exec(line))
      .find((found) => found && Number(found[2]) <= slot && slot <= Number(found[3]))!;
    return Number(port);
  }

  /** Keys on one server. */
  keysOn(port: number): string[] {
    return cli(port, 'keys', '*').split('\n').filter(Boolean);
  }

  async kill(port: number): Promise<void> {
    const server = this.servers.get(port)!;
    if (server.exitCode === null && server.signalCode === null && server.kill('SIGKILL'))
      await once(server, 'exit');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers.keys()].map((port) => this.kill(port)));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async start(port: number, args: string[], clientArgs: string[] = []): Promise<void> {
    const nothingStored = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];
    const isSentinel = args.includes('--sentinel');
    const all = [...args, '--bind', '127.0.0.1', '--dir', this.folder, ...(isSentinel ? [] : nothingStored)];
    this.servers.set(port, spawn('redis-server', all, { stdio: 'ignore' }));
    await eventually(() => {
      const response = cli(port, ...clientArgs, 'ping');
      if (!/PONG|NOAUTH/.test(response))
        throw new Error(`redis-server ${port} does not respond: ${response}`);
    });
  }
}

/** Nodes also talk on a port that is 10,000 above. */
async function clusterPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port < 55_000) return port;
  }
}

function cli(port: number, ...args: string[]): string {
  const { stdout, stderr } = spawnSync('redis-cli', ['-p', String(port), ...args], { encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}
