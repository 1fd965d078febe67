import type { ActorKind } from '@app/database/audit/audit-event.entity';
import type { Caller } from '@app/domain/keys/caller';
import type { Staff } from '@app/domain/staff/staff';

/** Who makes a change: a member of staff, a program with a management credential, a customer's key, the command line, or a process of ours. */
export interface AuditActor {
  kind: ActorKind;
  id: string;
  /** The e-mail address of a member of staff. */
  name: string;
  role: string | null;
  address: string | null;
  requestId: string | null;
  /** Of a program: the member of staff who has created its credential. */
  creatorId?: string;
}

/** A member of staff, or a program in their place, as the actor of an event. */
export function byStaff(staff: Staff): AuditActor {
  const { id, name, email, role, creatorId } = staff;
  if (creatorId !== undefined) return byManagement({ id, name, creatorId }, staff);
  return { kind: 'staff', id, name: email, role, address: staff.address, requestId: staff.requestId };
}

/** A program with a management credential as the actor of an event. */
export function byManagement(
  { id, name, creatorId }: { id: string; name: string; creatorId: string },
  { address, requestId }: Pick<AuditActor, 'address' | 'requestId'>,
): AuditActor {
  return { kind: 'management', id, name: managementName(name), role: null, address, requestId, creatorId };
}

/** What a management credential is called among members of staff. */
export function managementName(name: string): string {
  return `management ${name}`;
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
