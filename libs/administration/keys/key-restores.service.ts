import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { Injectable } from '@nestjs/common';
import { approvable, NO_ARGS } from '../approvals/approvable';
import { ApprovalsService } from '../approvals/approvals.service';
import { ApiKeyChangesService } from './api-key-changes.service';
import type { KeyTarget } from './key-locks';

/** Restores deleted keys: one whose secret was exposed waits for a second person, where removing an allow-list does. */
@Injectable()
export class KeyRestoresService {
  readonly approvable = {
    key_restore: approvable('key_restore', NO_ARGS, ({ targetId: keyId, ...approved }) => ({
      work: this.changes.restoring({ ...approved, keyId }, true),
    })),
  };

  constructor(
    private readonly changes: ApiKeyChangesService,
    private readonly approvals: ApprovalsService,
  ) {}

  /** @throws ChangeWaits when a second person is needed */
  async restore(target: KeyTarget, confirmed: boolean): Promise<ChangeReceipt | null> {
    const requested = { ...target, approvable: this.approvable.key_restore, args: () => ({}) };
    return (await this.approvals.make(this.changes.restoring(target, confirmed), requested)).receipt;
  }
}
