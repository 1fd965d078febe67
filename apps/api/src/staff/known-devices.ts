import { AppConfig } from '@app/config/app-config';
import { deriveKey } from '@app/domain/common/derived-key';
import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { personOf } from './attempt-keys';
import { readCookie, SessionCookies } from './session-cookies';

/** The longest a browser keeps a cookie (RFC 6265bis, 5.5). */
const DEVICE_SECS = 400 * 24 * 60 * 60;

/** A browser in which a person has signed in before. */
interface KnownDevice {
  id: string;
  person: string;
}

/**
 * Recognises browsers in which a person has signed in before, by a signed cookie, so that attempts of strangers never use up
 * theirs (the device cookie of OWASP). It lets its holder try; signing in still takes the password.
 */
@Injectable()
export class KnownDevices {
  private readonly key: Buffer;

  constructor(
    config: AppConfig,
    private readonly cookies: SessionCookies,
  ) {
    this.key = deriveKey(config.requireAppSecret(), 'staff devices');
  }

  /** The device a Cookie header comes from; null when it has none of ours. */
  read(header: string | undefined): KnownDevice | null {
    const [id = '', person = '', input = ''] = readCookie(header, this.name)?.split('.') ?? [];
    const expected = this.sign(id, person);
    const mac = Buffer.from(input, 'base64url');
    return mac.length === expected.length && timingSafeEqual(mac, expected) ? { id, person } : null;
  }

  /** A Set-Cookie header by which the browser is known as one of this person from now on. */
  remember(email: string, header: string | undefined): string {
    const person = personOf(email);
    const before = this.read(header);
    const id = before?.person === person ? before.id : randomBytes(12).toString('base64url');
    const value = `${id}.${person}.${this.sign(id, person).toString('base64url')}`;
    return this.cookies.format(this.name, value, DEVICE_SECS);
  }

  private get name(): string {
    return `${this.cookies.prefix}.device`;
  }

  private sign(id: string, person: string): Buffer {
    return createHmac('sha256', this.key).update(`${id}.${person}`).digest();
  }
}
