import { DomainError } from '@app/domain/errors';
import type { AuditActor } from './audit-actors';

/**
 * Refuses to change what a file of keys manages: the next `greenroom apply` would change it back. Processes of ours may,
 * among them `greenroom apply` itself and an undo timer.
 *
 * @param resource what it is, for the message
 * @throws DomainError `managed_by_file`
 */
export function refuseIfManaged(
  resource: string,
  { managedBy }: { managedBy: string | null },
  { kind }: AuditActor,
): void {
  if (managedBy !== null && kind !== 'system')
    throw new DomainError('managed_by_file', { resource, file: managedBy });
}
