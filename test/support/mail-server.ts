import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  to: string;
  /** Head and body, as they came. */
  source: string;
  /** Without soft line breaks. */
  text: string;
  messageId: string;
}

/** A mail server on a socket: keeps what it receives. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** Accepts connections and says nothing. */
  hangs = false;
  /** Accepts what it has received only when this is settled. */
  accepts: Promise<void> = Promise.resolve();

  private constructor(private readonly server: SMTPServer) {}

  /** @param tls what it offers STARTTLS with */
  static async start(tls?: { key: Buffer; cert: Buffer }): Promise<MailServer> {
    const server: SMTPServer = new SMTPServer({
      authOptional: true,
      disabledCommands: tls ? [] : ['STARTTLS'],
      ...tls,
      onConnect: (_session, done) => {
        if (!mails.hangs) done();
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const source = Buffer.concat(chunks).toString();
          for (const { address } of session.envelope.rcptTo) mails.received.push(toMail(address, source));
          void mails.accepts.then(() => done());
        });
      },
    });
    const mails = new MailServer(server);
    server.on('error', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return mails;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  to(address: string): ReceivedMail[] {
    return this.received.filter((mail) => mail.to === address);
  }

  async stop(): Promise<void> {
    for (const { _socket: socket } of this.server.connections as unknown as Set<{
      _socket: { destroy: () => void };
    }>)
      socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

function toMail(to: string, source: string): ReceivedMail {
  const unfolded = source.replaceAll(/\r\n[ \t]/g, ' ');
  const text = source.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  return { to, source: unfolded, text, messageId: /^Message-ID: (.*)$/im.exec(unfolded)?.[1] ?? '' };
}
