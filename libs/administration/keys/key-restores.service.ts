import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service';
import { ApiKeyChangesService } from './api-key-changes.service';
import type { KeyTarget } from './key-locks';

/** Restores deleted keys: one whose secret was exposed waits for a second person, where removing an allow-list does. */
@Injectable()
export class KeyRestoresService {
  constructor(
    private readonly changes: ApiKeyChangesService,
    private readonly approvals: ApprovalsService,
  ) {}

  /** A restore that a second person has approved. */
  restoring(target: KeyTarget): ReturnType<ApiKeyChangesService['restoring']> {
    return this.changes.restoring(target, true);
  }

  /** @throws ChangeWaits when a second person is needed */
  async restore(target: KeyTarget, confirmed: boolean): Promise<ChangeReceipt | null> {
    const requested = { ...target, kind: 'key_restore' as const, args: () => ({}) };
    return (await this.approvals.make(this.changes.restoring(target, confirmed), requested)).receipt;
  }
}
