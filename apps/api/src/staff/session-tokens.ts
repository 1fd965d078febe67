import { StaffRepository } from '@app/database/staff/staff.repository';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Staff } from '@app/domain/staff/staff';
import { SessionCookies } from './session-cookies';
import { cookiesOf, headersFor, SESSION_SECS } from './sign-in-library';

/**
 * Keeps digests of session tokens in the database. The library stores its tokens as they are: the browser gets another
 * one, and for the library the stored digest is the token.
 */
@Injectable()
export class SessionTokens {
  constructor(
    private readonly staff: StaffRepository,
    private readonly cookies: SessionCookies,
  ) {}

  /** The token of the session that the library has begun, as it is stored; null when it has begun none. */
  begunIn(response: Response): string | null {
    const pairs = cookiesOf(response).map((cookie) => cookie.split(';')[0]!);
    return this.cookies.readToken(pairs.toReversed().join('; '));
  }

  /** Replaces the token of the session that the library has begun. Returns the cookies for the browser. */
  async takeOver(response: Response, em: EntityManager): Promise<string[]> {
    const begun = this.begunIn(response);
    const others = cookiesOf(response).filter((other) => !other.startsWith(`${this.cookies.sessionName}=`));
    return begun === null ? others : [await this.replace(begun, em), ...others];
  }

  /** Gives the session another token: a holder of the old one is signed out. Returns the cookie for the browser. */
  async renew({ cookie }: Staff, em: EntityManager): Promise<string> {
    return this.replace(this.cookies.readSession(cookie)!, em);
  }

  /** The headers of a request with a session, as the library is to see them. */
  headersOf(staff: Staff): Headers {
    return headersFor({ ...staff, cookie: this.cookies.withStoredSession(staff.cookie) });
  }

  private async replace(stored: string, em: EntityManager): Promise<string> {
    const { cookie, tokenDigest } = this.cookies.newSession(SESSION_SECS);
    await this.staff.replaceToken(stored, tokenDigest, em);
    return cookie;
  }
}
