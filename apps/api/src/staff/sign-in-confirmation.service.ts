import { StaffRepository } from '@app/database/staff/staff.repository';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Staff } from '@app/domain/staff/staff';
import { ValidationProblem } from '../http/wire-problem';
import { OwnSecurityChecks } from './own-security-checks';
import type { ConfirmSignInBody } from './sign-in.dto';

/** Confirms, before a change that requires it, that the person at the browser still is the one who signed in. */
@Injectable()
export class SignInConfirmationService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly staff: StaffRepository,
    private readonly checks: OwnSecurityChecks,
  ) {}

  /** With a code where a second factor is set up, else with the password. Holds for this session, for some minutes. */
  async confirm(staff: Staff, { code, password }: ConfirmSignInBody): Promise<void> {
    if (staff.twoFactorEnabled) await this.checkCode(staff, code);
    else await this.checks.checkPassword(staff, required(password, 'password', 'your password'), 'password');
    await this.dataSource.transaction(async (em) => {
      await this.staff.setConfirmed(staff.sessionId, true, em);
      await this.checks.record(staff, 'staff.sign_in_confirmed', em);
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
  throw new ValidationProblem([
    {
      type: 'missing',
      loc: ['body', field],
      msg: `Field required: ${accepted}`,
      input: null,
      ctx: { accepted },
    },
  ]);
}
