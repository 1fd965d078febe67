import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { StaffRepository, type OwnSession } from '@app/database/staff/staff.repository';
import { isUuid } from '@app/domain/common/uuid';
import { DomainError } from '@app/domain/errors';
import type { Staff } from '@app/domain/staff/staff';
import { Injectable } from '@nestjs/common';
import { ownEvent } from './own-security-checks';

/** Where members of staff are signed in, and ending that. It takes no password: who has lost a laptop should not wait. */
@Injectable()
export class OwnSessionsService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly staff: StaffRepository,
  ) {}

  /** Last used first. */
  async list(staff: Staff): Promise<OwnSession[]> {
    return this.staff.listSessions(staff.id);
  }

  async end(staff: Staff, sessionId: string): Promise<void> {
    await this.changes.make(async (em) => {
      const ended = isUuid(sessionId) && (await this.staff.endSessionOf(staff.id, sessionId, em));
      if (!ended) throw new DomainError('session_not_found', { sessionId: sessionId.slice(0, 100) });
      const event = { ...ownEvent(staff, 'staff.session_ended'), after: { session_id: sessionId } };
      return { result: undefined, events: [event] };
    });
  }

  /** Ends all but the one that asks, and sign-ins that wait for their second factor. */
  async endOthers(staff: Staff): Promise<{ ended: number }> {
    const { result } = await this.changes.make(async (em) => {
      const ended = await this.staff.endSessions(staff.id, staff.sessionId, em);
      const event = { ...ownEvent(staff, 'staff.sessions_ended'), after: { ended } };
      return { result: { ended }, events: ended > 0 ? [event] : [] };
    });
    return result;
  }
}
