import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const CLASS_IN = 1;
const RESPONSE = 0x8180;
const NO_SUCH_NAME = 0x8183;

/** A name server that knows some names by IPv4 addresses, and does not respond at all to questions about silent ones. */
export class NameServer {
  readonly questions: string[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly addresses: Record<string, string[]>,
  ) {
    socket.on('message', (query, from) => {
      const response = this.respond(query);
      if (response) socket.send(response, from.port, from.address);
    });
    socket.on('error', () => undefined);
  }

  /** @param addresses of each name; `[]` for a name without one, and names under `silent.test` get no response */
  static async start(addresses: Record<string, string[]>): Promise<NameServer> {
    const socket = createSocket('udp4');
    const server = new NameServer(socket, addresses);
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return server;
  }

  /** As resolvers are given it. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((closed) => this.socket.close(() => closed()));
  }

  private respond(query: Buffer): Buffer | null {
    const { name, end } = readName(query);
    this.questions.push(name);
    if (name.endsWith('silent.test')) return null;
    const question = query.subarray(HEADER_BYTES, end + 4);
    const known = this.addresses[name];
    const isForAddress = query.readUInt16BE(end) === TYPE_A;
    const answers = isForAddress ? (known ?? []).filter(isIPv4).map(toRecord) : [];
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(known ? RESPONSE : NO_SUCH_NAME, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    return Buffer.concat([header, question, ...answers]);
  }
}

/** The name that is asked for, and where it ends. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function toRecord(address: string): Buffer {
  const record = Buffer.alloc(16);
  // The name is that of the question.
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(4, 10);
  address.split('.').forEach((byte, at) => record.writeUInt8(Number(byte), 12 + at));
  return record;
}
