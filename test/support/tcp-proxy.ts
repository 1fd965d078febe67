import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A network between a client and a server that can be slow, break connections, or swallow everything. */
export class TcpProxy {
  /** Added to every piece of data in both directions. */
  delayMs: () => number = () => 0;
  /** Connections stay, and nothing comes through any more: what a cable that was pulled looks like. */
  isSilent = false;
  /** The server acts on the next message with this text in it, and the connection breaks before the client has the response. */
  losesResponseTo: string | null = null;
  private readonly lost = new Set<Socket>();
  private readonly sockets = new Set<Socket>();
  /** Ends that are still open, of connections that are cut in between. */
  private readonly dead = new Set<Socket>();
  private refuses = false;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    /** The address of the target, through this network. */
    readonly url: string,
  ) {}

  static async to(targetUrl: string, host = '127.0.0.1'): Promise<TcpProxy> {
    const target = new URL(targetUrl);
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const url = new URL(targetUrl);
    url.host = `${host}:${(server.address() as { port: number }).port}`;
    const proxy = new TcpProxy(server, target, url.href.replace(/\/$/, ''));
    server.on('connection', (socket) => proxy.join(socket));
    return proxy;
  }

  /** Breaks every connection with a reset. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Breaks every connection and accepts no other, until it is let. */
  refuse(refuses: boolean): void {
    this.refuses = refuses;
    if (refuses) this.reset();
  }

  /**
   * Cuts the current connections silently: neither end is notified, and nothing that one sends reaches the other. New ones
   * work. What a router or a firewall does that has restarted.
   */
  forget(): void {
    for (const socket of this.sockets) this.dead.add(socket);
  }

  async stop(): Promise<void> {
    this.reset();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    if (this.refuses) return void client.resetAndDestroy();
    const server = connect(Number(this.target.port), this.target.hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        if (!this.dead.delete(from)) to.destroy();
      });
      void this.carry(from, to);
    }
  }

  private async carry(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from) {
        const delayMs = this.delayMs();
        if (delayMs > 0) await sleep(delayMs);
        if (this.lost.delete(from)) return void to.resetAndDestroy();
        if (this.losesResponseTo !== null && (piece as Buffer).includes(this.losesResponseTo)) {
          this.losesResponseTo = null;
          this.lost.add(to);
        }
        if (!this.isSilent && !this.dead.has(from) && !to.destroyed) to.write(piece as Buffer);
      }
      if (!this.dead.has(from)) to.end();
    } catch {
      if (!this.dead.has(from)) to.destroy();
    }
  }
}
