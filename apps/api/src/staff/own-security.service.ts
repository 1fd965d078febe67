import { StaffRepository } from '@app/database/repositories/staff.repository';
import { DomainError } from '@app/domain/errors';
import { passwordProblem } from '@app/domain/password-rules';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Staff } from '../http/staff-access';
import { OwnSecurityChecks, refusePassword } from './own-security-checks';
import { hashPassword } from './password-hash';
import { SessionCookies } from './session-cookies';
import { cookiesOf, headersFor, SESSION_SECS, SignInLibrary } from './sign-in-library';

export interface SecondFactorSetup {
  totpUri: string;
  backupCodes: string[];
}

/** What members of staff do about their own sign-in. Everything asks for the password again and gives the session a new id. */
@Injectable()
export class OwnSecurityService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly staff: StaffRepository,
    private readonly library: SignInLibrary,
    private readonly checks: OwnSecurityChecks,
    private readonly cookies: SessionCookies,
  ) {}

  /** Changes the password and ends the other sessions. Returns the cookies of this one. */
  async changePassword(staff: Staff, currentPassword: string, newPassword: string): Promise<string[]> {
    await this.checks.checkPassword(staff, currentPassword, 'current_password');
    const problem =
      newPassword === currentPassword ? 'is the one you have' : passwordProblem(newPassword, staff.email);
    if (problem) throw refusePassword('new_password', problem);
    const passwordHash = await hashPassword(newPassword);
    const token = randomBytes(24).toString('base64url');
    await this.dataSource.transaction(async (em) => {
      await this.staff.setPassword(staff.id, passwordHash, em);
      await this.staff.update(staff.id, { oneTimePasswordUntil: null }, em);
      await this.staff.endSessions(staff.id, staff.sessionId, em);
      await this.staff.renewSession(staff.sessionId, token, em);
      await this.checks.record(staff, 'staff.password_changed', em);
    });
    return [this.cookies.issueSession(token, SESSION_SECS)];
  }

  /** Begins to set up a second factor; it is asked for only after `confirmSecondFactor`. */
  async startSecondFactor(staff: Staff, password: string): Promise<SecondFactorSetup> {
    if (staff.twoFactorEnabled) throw new DomainError('second_factor_enabled');
    await this.checks.checkPassword(staff, password, 'password');
    const response = await this.library.call((api) =>
      api.enableTwoFactor({
        body: { password, method: 'totp' },
        headers: headersFor(staff),
        asResponse: true,
      }),
    );
    if (!response.ok) throw new DomainError('second_factor_enabled');
    const { totpURI, backupCodes } = (await response.json()) as { totpURI: string; backupCodes: string[] };
    return { totpUri: totpURI, backupCodes };
  }

  /** Proves with a first code that the app is set up. From now on a sign-in asks for one. */
  async confirmSecondFactor(staff: Staff, code: string): Promise<string[]> {
    await this.checks.takeAttempt(staff);
    return this.inOneTransaction(staff, 'staff.second_factor_enabled', async () => {
      const response = await this.library.call((api) =>
        api.verifyTOTP({ body: { code }, headers: headersFor(staff), asResponse: true }),
      );
      if (response.ok) return response;
      throw new DomainError(response.status === 401 ? 'second_factor_refused' : 'second_factor_not_started');
    });
  }

  async removeSecondFactor(staff: Staff, password: string): Promise<string[]> {
    if (!staff.twoFactorEnabled) throw new DomainError('second_factor_not_started');
    await this.checks.checkPassword(staff, password, 'password');
    return this.inOneTransaction(staff, 'staff.second_factor_removed', async () => {
      const response = await this.library.call((api) =>
        api.disableTwoFactor({ body: { password }, headers: headersFor(staff), asResponse: true }),
      );
      if (response.ok) return response;
      throw new DomainError('second_factor_not_started');
    });
  }

  private async inOneTransaction(
    staff: Staff,
    action: string,
    change: () => Promise<Response>,
  ): Promise<string[]> {
    return this.dataSource.transaction(async (em) => {
      const response = await this.library.pool.within(em, change);
      await this.checks.record(staff, action, em);
      return cookiesOf(response);
    });
  }
}
