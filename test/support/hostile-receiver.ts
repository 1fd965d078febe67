import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Writes again and again, as fast as the other side reads, until the connection ends. */
function repeat(socket: Socket, text: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
    if (!socket.destroyed) socket.once('drain', write);
  };
  write();
}

const response = (text: string) => (socket: Socket) => void socket.write(text);

/** What a server may do with a request instead of sending one response and ending it. */
export const HOSTILE_RESPONSES = {
  'switches protocols': response(
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ),
  'switches protocols and closes': (socket: Socket) =>
    void socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  'switches protocols without naming one': response('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  'continues for ever': (socket: Socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  'sends early hints for ever': (socket: Socket) =>
    repeat(socket, 'HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n'.repeat(100)),
  'closes without a response': (socket: Socket) => void socket.end(),
  'resets the connection': (socket: Socket) => void socket.resetAndDestroy(),
  'dies in the middle of a header': (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
  'never responds': () => undefined,
  'never ends its headers': (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    repeat(socket, 'a: b\r\n'.repeat(1_000));
  },
  'is not a web server': response('220 mail.example ESMTP\r\n'),
} satisfies Record<string, (socket: Socket) => void>;

/** The status arrives; what follows it never ends, or ends too early. */
export const HOSTILE_BODIES = {
  'dies in the middle of its body': (socket: Socket) =>
    void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
  'never ends its body': (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    repeat(socket, 'y'.repeat(10_000));
  },
  'never begins its body': response('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'),
  'never ends its trailers': (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n');
    repeat(socket, 'a: b\r\n'.repeat(1_000));
  },
} satisfies Record<string, (socket: Socket) => void>;

const BEHAVIOURS: Record<string, (socket: Socket) => void> = { ...HOSTILE_RESPONSES, ...HOSTILE_BODIES };

/** A server that speaks as badly as HTTP allows, or worse. The path of a request says how. */
export class HostileReceiver {
  /** Requests by behaviour. */
  readonly received: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HostileReceiver> {
    const server = createServer();
    const receiver = new HostileReceiver(server);
    server.on('connection', (socket) => receiver.serve(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  url(behaviour: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${encodeURIComponent(behaviour)}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    socket.once('data', (request) => {
      const path = /^POST \/(\S+)/.exec(request.toString('latin1'))?.[1] ?? '';
      const behaviour = decodeURIComponent(path);
      this.received.push(behaviour);
      BEHAVIOURS[behaviour]?.(socket);
    });
  }
}
