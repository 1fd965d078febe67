import { StaffRepository } from '@app/database/staff/staff.repository';
import { Injectable } from '@nestjs/common';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { InvalidInput } from '@app/domain/common/invalid-input';
import type { Staff } from '@app/domain/staff/staff';
import { OwnSecurityChecks, ownEvent } from './own-security-checks';

/** What proves it: a code or the password, see `confirm`. */
interface SignInProof {
  code?: string;
  password?: string;
}

/** Confirms, before a change that requires it, that the person at the browser still is the one who signed in. */
@Injectable()
export class SignInConfirmationService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly staff: StaffRepository,
    private readonly checks: OwnSecurityChecks,
  ) {}

  /** With a code where a second factor is set up, else with the password. Holds for this session, for some minutes. */
  async confirm(staff: Staff, { code, password }: SignInProof): Promise<void> {
    if (staff.twoFactorEnabled) await this.checkCode(staff, code);
    else await this.checks.checkPassword(staff, required(password, 'password', 'your password'), 'password');
    await this.changes.make(async (em) => {
      await this.staff.setConfirmed(staff.sessionId, true, em);
      return { result: undefined, events: [ownEvent(staff, 'staff.sign_in_confirmed')] };
    });
  }

  private async checkCode(staff: Staff, code: string | undefined): Promise<void> {
    const given = required(code, 'code', 'six digits of your authenticator app').replace(/\s/g, '');
    await this.checks.takeGuess(staff);
    await this.checks.checkCode(staff, given);
  }
}

function required(value: string | undefined, field: string, accepted: string): string {
  if (value !== undefined) return value;
  throw new InvalidInput([
    {
      type: 'missing',
      path: [field],
      msg: `Field required: ${accepted}`,
      input: null,
      ctx: { accepted },
    },
  ]);
}
