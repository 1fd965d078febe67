import type { Caller } from '@app/domain/keys/caller';
import type { Staff } from '@app/domain/staff/staff';
import type { AuditActor } from './audit-log';

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

/** A process of ours as the actor of an event: `cli`, `launcher`, `worker` … */
export function bySystem(name: string): AuditActor {
  return { kind: 'system', id: name, name, role: null, address: null, requestId: null };
}
