import type { ActorKind } from '@app/database/audit/audit-event.entity';
import type { Caller } from '@app/domain/keys/caller';
import type { Staff } from '@app/domain/staff/staff';

/** Who makes a change: a member of staff, a customer's key, the command line, or a process of ours. */
export interface AuditActor {
  kind: ActorKind;
  id: string;
  /** The e-mail address of a member of staff. */
  name: string;
  role: string | null;
  address: string | null;
  requestId: string | null;
}

/** A member of staff as the actor of an event. */
export function byStaff(staff: Staff): AuditActor {
  return {
    kind: 'staff',
    id: staff.id,
    name: staff.email,
    role: staff.role,
    address: staff.address,
    requestId: staff.requestId,
  };
}

/** A customer's key as the actor of an event. */
export function byCaller({ key, address, requestId }: Caller): AuditActor {
  return {
    kind: 'customer',
    id: key.keyId,
    name: `API key ${key.keyId}`,
    role: null,
    address,
    requestId,
  };
}

/** The command line as the actor of an event. */
export function byCommandLine(): AuditActor {
  return bySystem('cli');
}

/** A process of ours as the actor of an event: `first run`, `allow-list-undo` … */
export function bySystem(name: string): AuditActor {
  return { kind: 'system', id: name, name, role: null, address: null, requestId: null };
}
