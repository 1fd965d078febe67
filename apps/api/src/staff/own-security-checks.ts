import type { AuditAction } from '@app/domain/audit/audit-actions';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byStaff } from '@app/administration/audit/audit-actors';
import type { AuditEntry } from '@app/administration/audit/audit-log';
import type { Staff } from '@app/domain/staff/staff';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { SignInThrottle } from './sign-in-throttle';
import { StaffCredentials } from './staff-credentials';

/** What every change of one's own sign-in needs. */
@Injectable()
export class OwnSecurityChecks {
  constructor(
    private readonly credentials: StaffCredentials,
    private readonly throttle: SignInThrottle,
  ) {}

  /** @throws InvalidInput when it is not the member's password; counts as a guess of theirs */
  async checkPassword(staff: Staff, password: string, field: string): Promise<void> {
    await this.takeGuess(staff);
    if (!(await this.credentials.isPasswordOf(staff.id, password)))
      throw refusePassword(field, 'is not your password');
    await this.throttle.succeededOwn(staff.id);
  }

  /** @throws DomainError `second_factor_refused` when it is not a code of the member's app, or was used before */
  async checkCode(staff: Staff, code: string, em?: EntityManager): Promise<void> {
    if (!(await this.credentials.useCode(staff.id, code, em))) throw new DomainError('second_factor_refused');
    await this.throttle.succeededOwn(staff.id);
  }

  async succeeded({ id }: Staff): Promise<void> {
    await this.throttle.succeededOwn(id);
  }

  async takeGuess({ id }: Staff): Promise<void> {
    await this.throttle.takeOwn(id);
  }
}

/** The event of a change of one's own sign-in. */
export function ownEvent(staff: Staff, action: AuditAction): AuditEntry {
  return { actor: byStaff(staff), action, target: { type: 'staff', id: staff.id } };
}

export function refusePassword(field: string, problem: string): InvalidInput {
  return new InvalidInput([
    {
      type: 'value_error',
      path: [field],
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
