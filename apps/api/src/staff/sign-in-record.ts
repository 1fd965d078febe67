import { PasskeyRepository } from '@app/database/staff/passkey.repository';
import { StaffRepository, type StaffSession } from '@app/database/staff/staff.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byStaff } from '@app/administration/audit/audit-actors';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import type { Staff, Visitor } from '@app/domain/staff/staff';
import { ownEvent } from './own-security-checks';
import { SessionCookies } from './session-cookies';
import { SessionTokens } from './session-tokens';
import { OWN_PASSWORD } from '@app/administration/staff/staff-changes';
import type { AuditEntry } from '@app/administration/audit/audit-log';

export type SignInMethod =
  | 'password'
  | 'password and code'
  | 'password and backup code'
  | 'passkey'
  | 'identity provider';

/** What our database keeps of a sign-in, beside what the library keeps. */
@Injectable()
export class SignInRecord {
  constructor(
    private readonly staff: StaffRepository,
    private readonly cookies: SessionCookies,
    private readonly tokens: SessionTokens,
    private readonly changes: AuditedChanges,
    private readonly passkeys: PasskeyRepository,
  ) {}

  /**
   * Writes the event of a sign-in, and ends the session that the browser had before.
   *
   * @returns the cookies for the browser
   */
  async signedIn(
    visitor: Visitor,
    response: Response,
    method: SignInMethod,
    passkeyId?: string,
  ): Promise<string[]> {
    const token = this.tokens.begunIn(response);
    const session = token && (await this.staff.findSession(token));
    if (!session) throw new DomainError('staff_sign_in_refused');
    const before = this.cookies.readSession(visitor.cookie);
    await this.staff.deleteExpired();
    const { result } = await this.changes.make(async (em) => {
      if (before) await this.staff.endSession(before, em);
      if (method === 'identity provider') await this.adopt(session, em);
      if (passkeyId) await this.passkeys.setUsed(passkeyId, session.sessionId, em);
      const event: AuditEntry = {
        actor: byStaff(toStaff(session, visitor)),
        action: 'staff.signed_in',
        target: { type: 'staff', id: session.memberId },
        after: { method, session_id: session.sessionId },
      };
      return { result: await this.tokens.takeOver(response, em), events: [event] };
    });
    return result;
  }

  /** What holds for a member who comes from the identity provider. */
  private async adopt(session: StaffSession, em: EntityManager): Promise<void> {
    // The provider does not check the code of this installation.
    if (session.twoFactorEnabled) await this.staff.setConfirmed(session.sessionId, false, em);
    if (!session.mustChangePassword) return;
    // A temporary password is not left behind by people who do not use passwords.
    await this.staff.deletePassword(session.memberId, em);
    await this.staff.update(session.memberId, OWN_PASSWORD, em);
  }

  /** @returns the cookies for the browser */
  async signedOut(staff: Staff): Promise<string[]> {
    await this.changes.make(async (em) => {
      const token = this.cookies.readSession(staff.cookie);
      if (token) await this.staff.endSession(token, em);
      return { result: undefined, events: [ownEvent(staff, 'staff.signed_out')] };
    });
    return [this.cookies.endSession()];
  }

  /** Ends the session that the library has just begun, before the browser receives it. */
  async discard(response: Response): Promise<void> {
    const token = this.tokens.begunIn(response);
    if (token) await this.staff.endSession(token);
  }

  /** Whether the browser has a session that has not ended. */
  async isSignedIn({ cookie }: Visitor): Promise<boolean> {
    const token = this.cookies.readSession(cookie);
    return token !== null && (await this.staff.findSession(token, { isUse: false })) !== null;
  }

  /** Whether the library has begun a session. */
  hasSession(response: Response): boolean {
    return this.tokens.begunIn(response) !== null;
  }
}

function toStaff({ memberId, ...session }: StaffSession, visitor: Visitor): Staff {
  return { id: memberId, ...session, ...visitor };
}
