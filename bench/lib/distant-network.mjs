import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A network to a server in which everything takes `oneWayMs` in each direction. Pieces keep their order, and do not wait for each other. */
export class DistantNetwork {
  isCut = false;
  bytes = 0;

  /** @param targetUrl of the server; `url` is the same through this network */
  static async to(targetUrl, oneWayMs) {
    const network = new DistantNetwork();
    network.server = createServer((client) => network.join(client, new URL(targetUrl), oneWayMs));
    network.server.listen(0, '127.0.0.1');
    await once(network.server, 'listening');
    network.url = Object.assign(new URL(targetUrl), { port: network.server.address().port }).href;
    return network;
  }

  stop() {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  sockets = new Set();

  join(client, { port, hostname }, oneWayMs) {
    const server = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ]) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        setTimeout(() => to.destroy(), oneWayMs);
      });
      from.on('data', (piece) => {
        this.bytes += piece.length;
        // What is sent into a cut network is lost, as are its packets.
        setTimeout(() => this.isCut || to.destroyed || to.write(piece), oneWayMs);
      });
    }
  }
}
