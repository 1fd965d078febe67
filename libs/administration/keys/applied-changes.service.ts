import { BulkKeyChangeRepository, type ChangedKey } from '@app/database/keys/bulk-key-change.repository';
import type { BulkEdit } from '@app/domain/keys/bulk-edit';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-actors';

/** A change of many keys that its transaction has applied already. */
interface AppliedChange {
  id: string;
  /** What undoing it undoes. */
  edit: BulkEdit;
  filter: object;
  reason: string;
  /** When it is undone unless it is kept; null for never. */
  dueAt: Date | null;
}

/** Lists what policies did to many keys among the changes of many keys, so that it is undone like those. */
@Injectable()
export class AppliedChangesService {
  constructor(private readonly bulkChanges: BulkKeyChangeRepository) {}

  /** Records a change in the transaction that makes it. */
  async record(
    actor: AuditActor,
    { edit, ...change }: AppliedChange,
    keys: ChangedKey[],
    em: EntityManager,
  ): Promise<void> {
    const now = new Date();
    const created = {
      ...change,
      ...edit,
      actor,
      byPolicy: true,
      total: keys.length,
      changed: 0,
      skipped: 0,
      changedBy: actor.name,
      changedAt: now,
      progressedAt: now,
      finishedAt: null,
      undoneAt: null,
      undoneBy: null,
    };
    await this.bulkChanges.insert(
      created,
      keys.map(({ id }) => id),
      em,
    );
    await this.bulkChanges.recordPart(change.id, { changed: keys, skipped: [] }, em);
  }
}
