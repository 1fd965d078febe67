import type { AuditAction } from '@app/domain/audit/audit-actions';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { DomainError } from '@app/domain/errors';
import { passwordProblem } from '@app/domain/staff/password-rules';
import { readCode } from '@app/domain/staff/totp';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import type { Staff } from '@app/domain/staff/staff';
import { OwnSecurityChecks, ownEvent, refusePassword } from './own-security-checks';
import { hashPassword } from '@app/administration/staff/password-hash';
import { loadCommonPasswords } from './common-passwords';
import { SessionTokens } from './session-tokens';
import { SignInLibrary } from './sign-in-library';
import { OWN_PASSWORD } from '@app/administration/staff/staff-changes';

export interface SecondFactorSetup {
  totpUri: string;
  backupCodes: string[];
}

/** What members of staff do about their own sign-in. Everything requires the password again and gives the session a new id. */
@Injectable()
export class OwnSecurityService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly staff: StaffRepository,
    private readonly library: SignInLibrary,
    private readonly checks: OwnSecurityChecks,
    private readonly tokens: SessionTokens,
  ) {}

  /** Changes the password and ends the other sessions. Returns the cookies of this one. */
  async changePassword(staff: Staff, currentPassword: string, newPassword: string): Promise<string[]> {
    await this.checks.checkPassword(staff, currentPassword, 'current_password');
    const problem =
      newPassword === currentPassword
        ? 'is the one you have'
        : passwordProblem(newPassword, staff, await loadCommonPasswords());
    if (problem) throw refusePassword('new_password', problem);
    const passwordHash = await hashPassword(newPassword);
    const { result } = await this.changes.make(async (em) => {
      await this.staff.setPassword(staff.id, passwordHash, em);
      await this.staff.update(staff.id, OWN_PASSWORD, em);
      await this.staff.endSessions(staff.id, staff.sessionId, em);
      const cookies = [await this.tokens.renew(staff, em)];
      return { result: cookies, events: [ownEvent(staff, 'staff.password_changed')] };
    });
    return result;
  }

  /** Begins to set up a second factor; it is required only after `confirmSecondFactor`. */
  async startSecondFactor(staff: Staff, password: string): Promise<SecondFactorSetup> {
    if (staff.twoFactorEnabled) throw new DomainError('second_factor_enabled');
    await this.checks.checkPassword(staff, password, 'password');
    const response = await this.library.call((api) =>
      api.enableTwoFactor({
        body: { password, method: 'totp' },
        headers: this.tokens.headersOf(staff),
        asResponse: true,
      }),
    );
    if (!response.ok) throw new DomainError('second_factor_enabled');
    const { totpURI, backupCodes } = (await response.json()) as { totpURI: string; backupCodes: string[] };
    return { totpUri: totpURI, backupCodes };
  }

  /** Proves with a first code that the app is set up. From now on a sign-in needs one, but not this one. */
  async confirmSecondFactor(staff: Staff, input: string): Promise<string[]> {
    const code = readCode(input);
    await this.checks.takeGuess(staff);
    return this.inOneTransaction(staff, 'staff.second_factor_enabled', async (em) => {
      const response = await this.library.call((api) =>
        api.verifyTOTP({ body: { code }, headers: this.tokens.headersOf(staff), asResponse: true }),
      );
      if (response.status === 401) throw new DomainError('second_factor_refused');
      if (!response.ok) throw new DomainError('second_factor_not_started');
      await this.checks.checkCode(staff, code, em);
      return response;
    });
  }

  async removeSecondFactor(staff: Staff, password: string): Promise<string[]> {
    if (!staff.twoFactorEnabled) throw new DomainError('second_factor_not_started');
    if (staff.secondFactorRequired && staff.passkeys === 0)
      throw new DomainError('second_factor_required_by_role', { role: staff.role });
    await this.checks.checkPassword(staff, password, 'password');
    return this.inOneTransaction(staff, 'staff.second_factor_removed', async () => {
      const response = await this.library.call((api) =>
        api.disableTwoFactor({ body: { password }, headers: this.tokens.headersOf(staff), asResponse: true }),
      );
      if (response.ok) return response;
      throw new DomainError('second_factor_not_started');
    });
  }

  private async inOneTransaction(
    staff: Staff,
    action: AuditAction,
    change: (em: EntityManager) => Promise<Response>,
  ): Promise<string[]> {
    const { result } = await this.changes.make(async (em) => {
      const response = await this.library.pool.within(em, () => change(em));
      const cookies = await this.tokens.takeOver(response, em);
      return { result: cookies, events: [ownEvent(staff, action)] };
    });
    return result;
  }
}
