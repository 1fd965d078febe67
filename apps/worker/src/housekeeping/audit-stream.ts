import { formatEvent, toSyslogFrame } from '@app/administration/audit/stream-formats';
import { AppConfig } from '@app/config/app-config';
import { exchangeHttp } from '@app/connections/http-exchange';
import { AuditCursorRepository } from '@app/database/audit/audit-cursor.repository';
import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import { Injectable } from '@nestjs/common';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { ended, type Round } from '../loop';

/** Events of one batch. */
const BATCH = 500;

/** One batch: its transaction holds the cursor meanwhile, and may not be idle for longer than 20 s. */
const TIMEOUT_MS = 8_000;

const MAX_RESPONSE_BYTES = 10_000;

/**
 * Sends the audit log to a collector, in its order, from a cursor in the database. The cursor moves when the collector has a
 * batch: if a process dies before that, the batch is sent again. A collector knows an event that it has by its id.
 */
@Injectable()
export class AuditStream {
  constructor(
    private readonly config: AppConfig,
    private readonly cursor: AuditCursorRepository,
  ) {}

  /** Sends the next batch, unless another worker is sending one. */
  async send(): Promise<Round> {
    const url = this.config.auditStreamUrl;
    if (url === undefined) return 'idle';
    try {
      const sent = await this.cursor.advance(BATCH, (events) => this.deliver(new URL(url), events));
      return ended(sent === BATCH ? 'more' : 'idle', { event: sent });
    } catch (error) {
      const cause = inWords(error as NodeJS.ErrnoException);
      await this.cursor.noteFailure(cause.message.slice(0, 500));
      throw cause;
    }
  }

  private async deliver(url: URL, events: AuditEvent[]): Promise<void> {
    if (url.protocol.startsWith('http')) await this.post(url, events);
    else await this.write(url, events);
  }

  /** Lines of JSON, or of CEF. Only a 2xx says that the collector has them. */
  private async post(url: URL, events: AuditEvent[]): Promise<void> {
    const { auditStreamFormat: format, auditStreamToken: token } = this.config;
    const { status } = await exchangeHttp({
      method: 'POST',
      url,
      headers: {
        'content-type': format === 'cef' ? 'text/plain; charset=utf-8' : 'application/x-ndjson',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: events.map((event) => `${formatEvent(event, format)}\n`).join(''),
      ca: this.config.auditStreamCa,
      signal: new AbortController().signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    });
    if (status < 200 || status > 299) throw new Error(`the collector responded with ${status}`);
  }

  /**
   * Syslog has no acknowledgement. So a batch has a separate connection, which we end: a collector that has read everything
   * ends it too, and one that died resets it.
   */
  private async write(url: URL, events: AuditEvent[]): Promise<void> {
    const frames = events.map((event) => toSyslogFrame(event, this.config.auditStreamFormat, hostname()));
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port);
    await new Promise<void>((resolve, reject) => {
      const socket =
        url.protocol === 'tls:'
          ? connectTls({ host, port, ca: this.config.auditStreamCa }).on('error', reject)
          : connect({ host, port }).on('error', reject);
      const timer = setTimeout(
        () =>
          socket.destroy(
            new Error(`the collector has not ended the connection within ${TIMEOUT_MS / 1_000} s`),
          ),
        TIMEOUT_MS,
      );
      let isEnded = false;
      socket.on('end', () => (isEnded = true));
      socket.on('close', () => {
        clearTimeout(timer);
        if (isEnded && socket.writableFinished) resolve();
        else reject(new Error('the collector has closed the connection before it had everything'));
      });
      socket.resume();
      socket.once(url.protocol === 'tls:' ? 'secureConnect' : 'connect', () =>
        socket.end(Buffer.concat(frames)),
      );
    });
  }
}

/** What Node.js says of certificates: the issuer is unknown, it names another host, or it is not valid today. */
const OF_CERTIFICATES = /CERT|LEAF_SIGNATURE/;

/** The error of a certificate with what to do about it; any other as it is. */
function inWords(error: NodeJS.ErrnoException): Error {
  if (!OF_CERTIFICATES.test(error.code ?? '')) return error;
  const message = `the certificate of the collector is not trusted: ${error.message}. Nothing was sent. AUDIT_STREAM_CA_FILE names other authorities`;
  return new Error(message, { cause: error });
}
