import { AccountChangesService } from '@app/administration/accounts/account-changes.service';
import { CreditAdjustmentsService } from '@app/administration/accounts/credit-adjustments.service';
import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import type { ApprovedChanges, ApprovedRequest } from '@app/administration/approvals/approvals.service';
import { BulkChangesService } from '@app/administration/keys/bulk-changes.service';
import { BulkUndoService } from '@app/administration/keys/bulk-undo.service';
import { KeyPoliciesService } from '@app/administration/keys/key-policies.service';
import { KeyRestoresService } from '@app/administration/keys/key-restores.service';
import { Injectable } from '@nestjs/common';

/** Changes of many keys, and of what holds for many, that may wait for a second person. */
@Injectable()
export class ApprovableKeyChanges {
  readonly table;

  constructor(
    bulk: BulkChangesService,
    undo: BulkUndoService,
    policies: KeyPoliciesService,
    restores: KeyRestoresService,
  ) {
    this.table = {
      bulk_change: (approved) => bulk.beginningLater(approved),
      bulk_undo: (approved) => ({ work: undo.undoingNow(changeOf(approved)) }),
      bulk_keep: (approved) => ({ work: undo.keeping(changeOf(approved)) }),
      key_restore: ({ targetId: keyId, ...approved }) => ({
        work: restores.restoring({ ...approved, keyId }),
      }),
      key_policy: (approved) => ({ work: policies.applyingLater(approved) }),
      tier_key_policy: (approved) => ({ work: policies.applyingLater(approved) }),
      idle_policy: (approved) => ({ work: policies.changeLater(approved) }),
      tier_idle_policy: (approved) => ({ work: policies.changeLater(approved) }),
    } satisfies Partial<ApprovedChanges>;
  }
}

/** Every change that may wait for a second person, and how it is applied when it is approved. */
@Injectable()
export class ApprovableChanges {
  readonly table: ApprovedChanges;

  constructor(
    accounts: AccountChangesService,
    credits: CreditAdjustmentsService,
    lists: AllowListsService,
    keys: ApprovableKeyChanges,
  ) {
    this.table = {
      account_settings: (approved) => ({ work: accounts.editing(accountOf(approved), approved.args) }),
      allow_list_entitlement: (approved) => ({
        work: accounts.settingAllowListEntitlement(accountOf(approved), approved.args.enabled),
      }),
      credits: (approved) => ({ work: credits.moving(accountOf(approved), approved.args) }),
      credit_request: (approved) => ({ work: credits.moving(accountOf(approved), approved.args) }),
      list_removal: (approved) => ({ work: lists.removing(approved) }),
      ...keys.table,
    };
  }
}

const accountOf = ({ actor, reason, expected, targetId }: ApprovedRequest) => ({
  actor,
  reason,
  expected,
  accountId: targetId,
});

const changeOf = ({ actor, reason, targetId }: ApprovedRequest) => ({ actor, reason, changeId: targetId });
