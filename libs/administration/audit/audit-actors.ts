import type { Staff } from '../../../apps/api/src/http/staff-access';
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

/** A process of ours as the actor of an event: `cli`, `launcher`, `worker` … */
export function bySystem(name: string): AuditActor {
  return { kind: 'system', id: name, name, role: null, address: null, requestId: null };
}
