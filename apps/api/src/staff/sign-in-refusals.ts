import { bySystem } from '@app/administration/audit/audit-actors';
import { AuditLog } from '@app/administration/audit/audit-log';
import { StaffAttemptRepository, type AttemptLimit } from '@app/database/staff/staff-attempt.repository';
import { StaffRepository } from '@app/database/staff/staff.repository';
import type { Visitor } from '@app/domain/staff/staff';
import { Injectable, Logger } from '@nestjs/common';
import { networkOf, personOf } from './attempt-keys';

/** One event for one e-mail address and one network in ten minutes. */
const ONE: AttemptLimit = { burst: 1, refillSecs: 600 };
/** However many of them are tried, the audit log grows by no more than this. */
const ALL: AttemptLimit = { burst: 100, refillSecs: 60 };

/**
 * Refused sign-ins: each stands in the log of the process, the first of many in the audit log too, with how many there were
 * since the event before it.
 */
@Injectable()
export class SignInRefusals {
  private readonly logger = new Logger('StaffSignIn');

  constructor(
    private readonly attempts: StaffAttemptRepository,
    private readonly staff: StaffRepository,
    private readonly auditLog: AuditLog,
  ) {}

  /** @param email as it was typed; absent where it is not known, as with a second factor */
  async note(visitor: Visitor, cause: string | undefined, email?: string): Promise<void> {
    const { address, requestId } = visitor;
    this.logger.warn('A sign-in was refused.', { requestId, address, cause });
    const who = `${personOf(email ?? '')}:${networkOf(address)}`;
    const uncounted = `refused-count:${who}`;
    const isOneOfMany = (await this.attempts.take(`refused:${who}`, ONE)) > 0;
    if (isOneOfMany || (await this.attempts.take('refused:all', ALL)) > 0)
      return this.attempts.count(uncounted);
    const attempts = 1 + (await this.attempts.takeCount(uncounted));
    await this.auditLog.recordAlone({
      actor: { ...bySystem('sign-in'), address, requestId },
      action: 'staff.sign_in_refused',
      // What is typed as an e-mail address may be a password: that of a stranger is not stored.
      target: { type: 'staff', id: (await this.staff.findByEmail(email ?? ''))?.id ?? 'unknown' },
      after: { cause: cause?.toLowerCase() ?? 'unknown', attempts },
    });
  }
}
