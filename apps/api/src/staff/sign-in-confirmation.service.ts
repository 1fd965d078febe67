import { PasskeyRepository } from '@app/database/staff/passkey.repository';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { Injectable } from '@nestjs/common';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { DomainError } from '@app/domain/errors';
import { readCode } from '@app/domain/staff/totp';
import { InvalidInput } from '@app/domain/common/invalid-input';
import type { UsedPasskey } from '@app/domain/staff/passkey';
import type { Staff } from '@app/domain/staff/staff';
import { OwnSecurityChecks, ownEvent } from './own-security-checks';
import { PasskeyProofsService } from './passkey-proofs.service';
import { SignInRecord } from './sign-in-record';

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
    private readonly proofs: PasskeyProofsService,
    private readonly record: SignInRecord,
    private readonly passkeys: PasskeyRepository,
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

  /** With one of the member's passkeys; for a role that requires a second factor, the session has one from now on. */
  async confirmWithPasskey(staff: Staff, credential: UsedPasskey): Promise<void> {
    await this.checks.takeGuess(staff);
    const { owner, response } = await this.proofs.verify(staff, credential);
    // The library begins a session with each proof: this one is there already.
    await this.record.discard(response);
    if (owner.memberId !== staff.id) throw new DomainError('passkey_refused');
    await this.changes.make(async (em) => {
      await this.passkeys.setUsed(owner.passkeyId, staff.sessionId, em);
      return { result: undefined, events: [ownEvent(staff, 'staff.sign_in_confirmed')] };
    });
    await this.checks.succeeded(staff);
  }

  private async checkCode(staff: Staff, code: string | undefined): Promise<void> {
    const input = readCode(required(code, 'code', 'six digits of your authenticator app'));
    await this.checks.takeGuess(staff);
    await this.checks.checkCode(staff, input);
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
