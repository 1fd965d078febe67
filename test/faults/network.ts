import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import type { AppConfig } from '../../libs/config/app-config';
import { TcpProxy } from '../support/tcp-proxy';
import { pause } from './fault-options';

type End = 'database' | 'queue';

const LOOPBACK = '127.0.0.1';

/** How a process of an installation reaches what it stands on: through links that can be slow, dead or cut. */
export class Network {
  private constructor(
    /** What a command begins with to run behind these links. */
    readonly prefix: string[],
    /** Where a process behind them is reached. */
    readonly host: string,
    private readonly links: Map<End, Link>,
    private readonly remove: () => void,
  ) {}

  /** Root gets a network namespace with an interface for each link; others get proxies only. */
  static async before(config: AppConfig): Promise<Network> {
    const space = process.getuid?.() === 0 ? Namespace.make() : null;
    const links = new Map([['database', await Link.to(config.requireDatabaseUrl(), space)]] as [End, Link][]);
    if (config.redisUrl) links.set('queue', await Link.to(config.redisUrl, space));
    const host = links.get('database')!.nearAddress;
    return new Network(space?.prefix ?? [], host, links, () => space?.remove());
  }

  get env(): { DATABASE_URL: string; REDIS_URL: string } {
    return {
      DATABASE_URL: this.links.get('database')!.proxy.url,
      REDIS_URL: this.links.get('queue')?.proxy.url ?? '',
    };
  }

  get proxies(): TcpProxy[] {
    return [...this.links.values()].map(({ proxy }) => proxy);
  }

  proxyTo(end: End): TcpProxy {
    return this.links.get(end)!.proxy;
  }

  /** Takes a link away, as if its cable were pulled, and brings it back. */
  async cut(end: End, ms: number): Promise<void> {
    const link = this.links.get(end)!;
    link.setUp(false);
    try {
      await pause(ms);
    } finally {
      link.setUp(true);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    this.remove();
  }
}

class Link {
  private constructor(
    readonly proxy: TcpProxy,
    readonly nearAddress: string,
    readonly setUp: (isUp: boolean) => void,
  ) {}

  static async to(url: string, space: Namespace | null): Promise<Link> {
    if (!space) return new Link(await TcpProxy.to(url), LOOPBACK, needsNamespace);
    const { inner, outer, setUp } = space.addInterface();
    return new Link(await TcpProxy.to(url, outer), inner, setUp);
  }
}

function needsNamespace(): void {
  throw new Error('a link can be cut by root only');
}

/** A network of its own, as `ip netns` makes it. */
class Namespace {
  private interfaces = 0;

  private constructor(private readonly name: string) {}

  static make(): Namespace {
    const space = new Namespace(`gr${randomInt(36 ** 5).toString(36)}`);
    ip('netns', 'add', space.name);
    ip('-n', space.name, 'link', 'set', 'lo', 'up');
    return space;
  }

  get prefix(): string[] {
    return ['ip', 'netns', 'exec', this.name];
  }

  /** A pair of interfaces with the addresses of its two ends. */
  addInterface(): { inner: string; outer: string; setUp: (isUp: boolean) => void } {
    const [near, far] = ['a', 'b'].map((end) => `${this.name}${this.interfaces}${end}`) as [string, string];
    this.interfaces += 1;
    const subnet = `10.${randomInt(200, 250)}.${randomInt(256)}`;
    const [outer, inner] = [`${subnet}.1`, `${subnet}.2`];
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', this.name);
    ip('addr', 'add', `${outer}/30`, 'dev', near);
    ip('-n', this.name, 'addr', 'add', `${inner}/30`, 'dev', far);
    const setUp = (isUp: boolean) => ip('link', 'set', near, isUp ? 'up' : 'down');
    setUp(true);
    ip('-n', this.name, 'link', 'set', far, 'up');
    return { inner, outer, setUp };
  }

  /** Its interfaces go with it. */
  remove(): void {
    ip('netns', 'del', this.name);
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
