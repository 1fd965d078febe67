import { AppConfig } from '@app/config/app-config';
import type { AlertText } from '@app/domain/alerts/alert-text';
import { Injectable, Optional } from '@nestjs/common';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createTransport, type Transporter } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';

/** Each phase of a delivery. */
const PHASE_MS = 8_000;
/** A whole delivery, however slowly the server responds: less than the deadline of the job. */
const TOTAL_MS = 20_000;

interface Mail extends AlertText {
  to: string;
  /** The same in every attempt, so that a mailbox recognises a repetition. */
  messageId: string;
  unsubscribeUrl: string;
}

/** Sends mail through the configured server, over a separate connection each time. */
@Injectable()
export class MailTransport {
  constructor(
    private readonly config: AppConfig,
    // With its type: the injector calls one that it has to infer undefined, in the log of each start.
    @Optional() private readonly totalMs: number = TOTAL_MS,
  ) {}

  /** @throws Error when no server is configured, when it does not respond in time, or refuses the mail */
  async send(
    { to, messageId, unsubscribeUrl, subject, text, html }: Mail,
    signal: AbortSignal,
  ): Promise<void> {
    const { mail } = this.config;
    if (!mail) throw new Error('no mail server is configured (SMTP_URL)');
    const socket = new Socket();
    await within(this.totalMs, signal, socket, async () => {
      const options = { ...optionsOf(mail.server), tls: { ca: this.config.smtpCa } };
      await connect(socket, options);
      return openTransport({ ...options, connection: socket }).sendMail({
        from: mail.from,
        // As an object, so that an address is never read as a list or with a name.
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId,
        headers: {
          'Auto-Submitted': 'auto-generated',
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
        list: { unsubscribe: unsubscribeUrl },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    });
  }
}

/** Settles after `totalMs` at the latest, or when the signal aborts, and leaves no connection behind. */
async function within(
  totalMs: number,
  signal: AbortSignal,
  socket: Socket,
  send: () => Promise<unknown>,
): Promise<void> {
  const late = new Error(`the mail server has not taken the mail within ${totalMs / 1_000} s`);
  const end = new AbortController();
  const stop = () => end.abort(signal.reason);
  const timer = setTimeout(() => end.abort(late), totalMs);
  signal.addEventListener('abort', stop, { once: true });
  const ended = new Promise<never>((_, reject) =>
    end.signal.addEventListener('abort', () => reject(end.signal.reason as Error), { once: true }),
  );
  try {
    signal.throwIfAborted();
    await Promise.race([send(), ended]);
    // After the farewell that is on its way.
    socket.destroySoon();
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** By whichever address of the host responds, of both families; the library would try the first one only. */
async function connect(socket: Socket, { host, port }: { host: string; port: number }): Promise<void> {
  try {
    await once(socket.connect({ host, port }), 'connect');
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

function openTransport(options: SMTPTransport.Options): Transporter {
  const transport = createTransport(options);
  // What fails is thrown by `sendMail` as well.
  transport.on('error', () => undefined);
  return transport;
}

function optionsOf({ protocol, hostname, port, username, password }: URL) {
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    greetingTimeout: PHASE_MS,
    socketTimeout: PHASE_MS,
  };
}
