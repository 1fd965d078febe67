import { randomUUID } from 'node:crypto';
import type { AuditEntry } from './audit-log';

/** Ids in one audit event. */
const IDS_PER_EVENT = 1_000;

/**
 * Events of one change of many: one for up to a thousand ids, all with the id of the whole change.
 *
 * @param entry of the change
 * @param field of `after` that holds the ids
 */
export function toBatchEvents(
  ids: string[],
  entry: Omit<AuditEntry, 'target'> & { target: Omit<AuditEntry['target'], 'id'> & { id?: string } },
  field: string,
): AuditEntry[] {
  const target = { id: randomUUID(), ...entry.target };
  const chunks = Array.from({ length: Math.ceil(ids.length / IDS_PER_EVENT) }, (_, index) =>
    ids.slice(index * IDS_PER_EVENT, (index + 1) * IDS_PER_EVENT),
  );
  return chunks.map((chunk) => ({ ...entry, target, after: { ...entry.after, [field]: chunk } }));
}
