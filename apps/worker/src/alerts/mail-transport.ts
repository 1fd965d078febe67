import { AppConfig } from '@app/config/app-config';
import type { AlertText } from '@app/domain/alerts/alert-text';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';

/** Each phase of a delivery; together they stay under the deadline of the job. */
const PHASE_MS = 8_000;

interface Mail extends AlertText {
  to: string;
  /** The same in every attempt, so that a mailbox can tell a repetition. */
  messageId: string;
  unsubscribeUrl: string;
}

/** Sends mail through the configured server, over a connection of its own each time. */
@Injectable()
export class MailTransport implements OnApplicationShutdown {
  private readonly transport: Transporter | null;

  constructor(private readonly config: AppConfig) {
    this.transport = config.mail ? openTransport(config.mail.server) : null;
  }

  /** @throws Error when no server is configured, when it does not respond in time, or refuses the mail */
  async send(
    { to, messageId, unsubscribeUrl, subject, text, html }: Mail,
    signal: AbortSignal,
  ): Promise<void> {
    const { mail } = this.config;
    if (!this.transport || !mail) throw new Error('no mail server is configured (SMTP_URL)');
    const sent = this.transport.sendMail({
      from: mail.from,
      // As an object, so that an address is never read as a list or with a name.
      to: { name: '', address: to },
      subject,
      text,
      html,
      messageId,
      headers: { 'Auto-Submitted': 'auto-generated', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
      list: { unsubscribe: unsubscribeUrl },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    await Promise.race([sent, abortOf(signal)]);
  }

  onApplicationShutdown(): void {
    this.transport?.close();
  }
}

/** A mail cannot be stopped in the middle; its connection ends by its own time limits. */
async function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function openTransport(server: URL): Transporter {
  const transport = createTransport(optionsOf(server));
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
    connectionTimeout: PHASE_MS,
    greetingTimeout: PHASE_MS,
    socketTimeout: PHASE_MS,
    dnsTimeout: PHASE_MS,
  };
}
