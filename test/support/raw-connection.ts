import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection to an HTTP server on which anything can be sent. */
export class RawConnection {
  /** All that the server has said. */
  received = '';
  isClosed = false;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  /** @param from the address of this machine that the server sees, `127.0.0.1` by itself */
  static async to(baseUrl: string, from?: string): Promise<RawConnection> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect({ port: Number(port), host: hostname, localAddress: from });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Takes nothing more that the server says, until `resume`; then what was sent meanwhile arrives, and the end. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Says that nothing more will be sent. */
  end(): void {
    this.socket.end();
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Statuses of the responses so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  close(): void {
    this.socket.destroy();
  }
}
