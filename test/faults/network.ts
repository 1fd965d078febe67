import type { AppConfig } from '../../libs/config/app-config';
import { TcpProxy } from '../support/tcp-proxy';
import { pause } from './fault-options';
import { Namespace } from './namespace';
import { MAY } from './privileges';

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

  /** A network namespace with an interface for each link, where permitted; otherwise proxies only. */
  static async before(config: AppConfig): Promise<Network> {
    const space = MAY.cutLinks ? Namespace.make() : null;
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
  throw new Error('a link without a network namespace cannot be cut');
}
