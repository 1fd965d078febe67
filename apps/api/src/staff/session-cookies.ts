import { AppConfig } from '@app/config/app-config';
import { deriveKey } from '@app/domain/derived-key';
import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/**
 * Names, attributes and signatures of the cookies of staff. The sign-in library writes them; the guard reads the session's
 * by itself, with one look-up instead of two.
 */
@Injectable()
export class SessionCookies {
  /** Key of the signatures, as text because the library wants one. */
  readonly signingKey: string;
  /** Whether browsers reach us by TLS. Only without, on this machine, do the cookies go without their protection. */
  readonly secure: boolean;
  /** `__Host-`: no path, no other host and no plain connection can set or see such a cookie (RFC 6265bis, 4.1.3.2). */
  readonly prefix: string;

  constructor(config: AppConfig) {
    this.signingKey = deriveKey(config.requireAppSecret(), 'staff sessions').toString('base64url');
    this.secure = config.publicUrl ? config.publicUrl.startsWith('https:') : !LOOPBACK_HOST.test(config.host);
    this.prefix = this.secure ? '__Host-greenroom' : 'greenroom';
  }

  get sessionName(): string {
    return `${this.prefix}.session_token`;
  }

  /** A Set-Cookie header that gives the browser this session. */
  issueSession(token: string, maxAgeSecs: number): string {
    const signature = createHmac('sha256', this.signingKey).update(token).digest('base64');
    const value = encodeURIComponent(`${token}.${signature}`);
    const attributes = `Max-Age=${maxAgeSecs}; Path=/; HttpOnly; SameSite=Strict${this.secure ? '; Secure' : ''}`;
    return `${this.sessionName}=${value}; ${attributes}`;
  }

  /** A Set-Cookie header that takes the session away from the browser. */
  endSession(): string {
    return `${this.sessionName}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict${this.secure ? '; Secure' : ''}`;
  }

  /** A Cookie header without the session. */
  withoutSession(header: string | undefined): string {
    const pairs = header?.split(';').map((pair) => pair.trim()) ?? [];
    return pairs.filter((pair) => !pair.startsWith(`${this.sessionName}=`)).join('; ');
  }

  /** The token of the session cookie, if its signature is ours. */
  readSession(header: string | undefined): string | null {
    const value = readCookie(header, this.sessionName);
    if (value === null) return null;
    const dot = value.lastIndexOf('.');
    if (dot < 1) return null;
    const token = value.slice(0, dot);
    const given = Buffer.from(value.slice(dot + 1), 'base64');
    const expected = createHmac('sha256', this.signingKey).update(token).digest();
    return given.length === expected.length && timingSafeEqual(given, expected) ? token : null;
  }
}

function readCookie(header: string | undefined, name: string): string | null {
  const pair = header?.split(';').find((part) => part.trim().startsWith(`${name}=`));
  if (pair === undefined) return null;
  try {
    return decodeURIComponent(pair.slice(pair.indexOf('=') + 1).trim());
  } catch {
    return null;
  }
}
