import { StaffAttemptRepository } from '@app/database/repositories/staff-attempt.repository';
import { StaffRepository, type StaffSession } from '@app/database/repositories/staff.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { byStaff } from '../audit-log/audit-actors';
import { AuditLog } from '../audit-log/audit-log';
import type { Staff, Visitor } from '../http/staff-access';
import { SessionCookies } from './session-cookies';
import { cookiesOf } from './sign-in-library';

export type SignInMethod =
  'password' | 'password and code' | 'password and backup code' | 'identity provider';

/** A code is valid for at most three steps of 30 s. */
const CODE_MEMORY = { burst: 1, refillSecs: 300 };

/** What our database keeps of a sign-in, beside what the library keeps. */
@Injectable()
export class SignInRecord {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly staff: StaffRepository,
    private readonly attempts: StaffAttemptRepository,
    private readonly cookies: SessionCookies,
    private readonly auditLog: AuditLog,
  ) {}

  /** Writes the event of a sign-in, and ends the session that the browser had before. */
  async signedIn(visitor: Visitor, response: Response, method: SignInMethod): Promise<void> {
    const token = this.newToken(response);
    const session = token && (await this.staff.findSession(token));
    if (!session) throw new DomainError('staff_sign_in_refused');
    const before = this.cookies.readSession(visitor.cookie);
    await this.staff.deleteExpired();
    await this.dataSource.transaction(async (em) => {
      if (before) await this.staff.endSession(before, em);
      if (method === 'identity provider' && session.mustChangePassword) {
        // A password that somebody else has chosen is not left behind by people who do not use passwords.
        await this.staff.deletePassword(session.memberId, em);
        await this.staff.update(session.memberId, { oneTimePasswordUntil: null }, em);
      }
      await this.auditLog.record(
        {
          actor: byStaff(toStaff(session, visitor)),
          action: 'staff.signed_in',
          target: { type: 'staff', id: session.memberId },
          after: { method, session_id: session.sessionId },
        },
        em,
      );
    });
  }

  async signedOut(staff: Staff): Promise<void> {
    await this.dataSource.transaction(async (em) => {
      const token = this.cookies.readSession(staff.cookie);
      if (token) await this.staff.endSession(token, em);
      const target = { type: 'staff', id: staff.id };
      await this.auditLog.record({ actor: byStaff(staff), action: 'staff.signed_out', target }, em);
    });
  }

  /** Whether a code was not used before: two sign-ins with one code, even at once, are one sign-in. */
  async isFirstUse(memberId: string, code: string): Promise<boolean> {
    const digest = createHash('sha256').update(`${memberId} ${code}`).digest('hex').slice(0, 32);
    return (await this.attempts.take(`code:${digest}`, CODE_MEMORY)) === 0;
  }

  /** A password that somebody else has chosen stops working after a while. */
  async refuseOldOneTimePassword(email: string, response: Response): Promise<void> {
    const member = await this.staff.findByEmail(email);
    if (!member?.oneTimePasswordUntil || member.oneTimePasswordUntil > new Date()) return;
    await this.discard(response);
    await this.staff.endSessions(member.id);
    throw new DomainError('staff_sign_in_refused');
  }

  /** Ends the session that the library has just begun, before the browser hears of it. */
  async discard(response: Response): Promise<void> {
    const token = this.newToken(response);
    if (token) await this.staff.endSession(token);
  }

  /** Whether the library has begun a session. */
  hasSession(response: Response): boolean {
    return this.newToken(response) !== null;
  }

  private newToken(response: Response): string | null {
    const pairs = cookiesOf(response).map((cookie) => cookie.split(';')[0]!);
    return this.cookies.readSession(pairs.toReversed().join('; '));
  }
}

function toStaff({ memberId, ...session }: StaffSession, visitor: Visitor): Staff {
  return { id: memberId, ...session, ...visitor };
}
