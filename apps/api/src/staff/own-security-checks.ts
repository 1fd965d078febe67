import { StaffRepository } from '@app/database/repositories/staff.repository';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byStaff } from '../audit-log/audit-actors';
import { AuditLog } from '../audit-log/audit-log';
import type { Staff } from '../http/staff-access';
import { ValidationProblem } from '../http/wire-problem';
import { verifyPassword } from './password-hash';
import { SignInThrottle } from './sign-in-throttle';

/** What every change of one's own sign-in needs. */
@Injectable()
export class OwnSecurityChecks {
  constructor(
    private readonly staff: StaffRepository,
    private readonly throttle: SignInThrottle,
    private readonly auditLog: AuditLog,
  ) {}

  /** @throws ValidationProblem when it is not the member's password; counts as an attempt to sign in */
  async checkPassword(staff: Staff, password: string, field: string): Promise<void> {
    await this.takeAttempt(staff);
    const hash = await this.staff.findPasswordHash(staff.id);
    if (!hash || !(await verifyPassword({ hash, password })))
      throw refusePassword(field, 'is not your password');
    await this.throttle.succeeded(staff.email, staff.address);
  }

  async takeAttempt({ email, address }: Staff): Promise<void> {
    await this.throttle.take(email, address);
  }

  async record(staff: Staff, action: string, em: EntityManager): Promise<void> {
    await this.auditLog.record(
      { actor: byStaff(staff), action, target: { type: 'staff', id: staff.id } },
      em,
    );
  }
}

export function refusePassword(field: string, problem: string): ValidationProblem {
  return new ValidationProblem([
    {
      type: 'value_error',
      loc: ['body', field],
      msg: problem,
      input: null,
      ctx: { accepted: ACCEPTED_PASSWORD[field] },
    },
  ]);
}

const ACCEPTED_PASSWORD: Record<string, string> = {
  new_password: '12 to 200 characters that are not easily guessed',
  current_password: 'your password',
  password: 'your password',
};
