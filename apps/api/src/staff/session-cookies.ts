import { AppConfig } from '@app/config/app-config';
import { deriveKey } from '@app/domain/common/derived-key';
import { Injectable } from '@nestjs/common';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** No path, no other host and no plain connection can set or see such a cookie (RFC 6265bis, 4.1.3.2). */
const HOST_PREFIX = '__Host-';

/**
 * Names, attributes and signatures of the cookies of staff. The sign-in library writes them; the hook reads the session's
 * alone, with one look-up instead of two. Where browsers reach us by TLS, the cookies have the prefix `__Host-` and are
 * Secure: `fromBrowser` and `toBrowser` translate, and everything else knows one name.
 */
@Injectable()
export class SessionCookies {
  /** Key of the signatures, as text because the library wants one. */
  readonly signingKey: string;
  /** Of this installation: another one on this host, at another port, has the same browsers and their cookies. */
  readonly prefix: string;

  constructor(config: AppConfig) {
    this.signingKey = deriveKey(config.requireAppSecret(), 'staff sessions').toString('base64url');
    const installation = deriveKey(config.requireAppSecret(), 'staff cookies').toString('hex', 0, 4);
    this.prefix = `greenroom-${installation}`;
  }

  /** A Cookie header as everything behind the hook reads it. Over TLS, only cookies that came by it count. */
  fromBrowser(header: string | undefined, origin: string): string | undefined {
    if (header === undefined || !isEncrypted(origin)) return header;
    const pairs = header.split(';').map((pair) => pair.trim());
    return pairs
      .filter((pair) => !pair.startsWith(`${this.prefix}.`))
      .map((pair) =>
        pair.startsWith(`${HOST_PREFIX}${this.prefix}.`) ? pair.slice(HOST_PREFIX.length) : pair,
      )
      .join('; ');
  }

  /** A Set-Cookie header for a browser that has reached us there. */
  toBrowser(cookie: string, origin: string): string {
    const isOurs = cookie.startsWith(`${this.prefix}.`);
    return isOurs && isEncrypted(origin) ? `${HOST_PREFIX}${cookie}; Secure` : cookie;
  }

  get sessionName(): string {
    return `${this.prefix}.session_token`;
  }

  /** A new token for a session: the Set-Cookie header that gives it to the browser, and the digest to store. */
  newSession(maxAgeSecs: number): { cookie: string; tokenDigest: string } {
    const token = randomBytes(24).toString('base64url');
    return {
      cookie: this.format(this.sessionName, this.sign(token), maxAgeSecs),
      tokenDigest: digestOf(token),
    };
  }

  /** A Set-Cookie header that takes the session away from the browser. */
  endSession(): string {
    return this.format(this.sessionName, '', 0);
  }

  /** A Set-Cookie header with the attributes of all cookies of staff. */
  format(name: string, value: string, maxAgeSecs: number): string {
    return `${name}=${encodeURIComponent(value)}; Max-Age=${maxAgeSecs}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** A Cookie header without the session. */
  withoutSession(header: string | undefined): string {
    const pairs = header?.split(';').map((pair) => pair.trim()) ?? [];
    return pairs.filter((pair) => !pair.startsWith(`${this.sessionName}=`)).join('; ');
  }

  /** A Cookie header in which the session's token is what the database keeps of it: the library knows no other. */
  withStoredSession(header: string | undefined): string {
    const tokenDigest = this.readSession(header);
    if (tokenDigest === null) return this.withoutSession(header);
    const session = `${this.sessionName}=${encodeURIComponent(this.sign(tokenDigest))}`;
    return [this.withoutSession(header), session].filter(Boolean).join('; ');
  }

  /** The digest of the session cookie's token, as the database keeps it, if the signature is ours. */
  readSession(header: string | undefined): string | null {
    const token = this.readToken(header);
    return token === null ? null : digestOf(token);
  }

  /** The token of the session cookie, if its signature is ours. */
  readToken(header: string | undefined): string | null {
    const value = readCookie(header, this.sessionName);
    if (value === null) return null;
    const dot = value.lastIndexOf('.');
    if (dot < 1) return null;
    const token = value.slice(0, dot);
    const input = Buffer.from(value.slice(dot + 1), 'base64');
    const expected = this.mac(token);
    return input.length === expected.length && timingSafeEqual(input, expected) ? token : null;
  }

  private sign(token: string): string {
    return `${token}.${this.mac(token).toString('base64')}`;
  }

  private mac(token: string): Buffer {
    return createHmac('sha256', this.signingKey).update(token).digest();
  }
}

const isEncrypted = (origin: string) => origin.startsWith('https:');

/** A token has 192 random bits: a plain SHA-256 is enough. */
function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The decoded value of a cookie; null when it is missing or not percent-encoded as it should be. */
export function readCookie(header: string | undefined, name: string): string | null {
  const pair = header?.split(';').find((part) => part.trim().startsWith(`${name}=`));
  if (pair === undefined) return null;
  try {
    return decodeURIComponent(pair.slice(pair.indexOf('=') + 1).trim());
  } catch {
    return null;
  }
}
