import type { AuditActor } from '@app/administration/audit/audit-log';
import type { Caller } from '../http/caller';

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
