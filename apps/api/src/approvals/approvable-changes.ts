import { AccountChangesService } from '@app/administration/accounts/account-changes.service';
import { CreditAdjustmentsService } from '@app/administration/accounts/credit-adjustments.service';
import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import type { ApprovableChanges as ByKind } from '@app/administration/approvals/approvals.service';
import { BulkChangesService } from '@app/administration/keys/bulk-changes.service';
import { BulkUndoService } from '@app/administration/keys/bulk-undo.service';
import { KeyPoliciesService } from '@app/administration/keys/key-policies.service';
import { KeyRestoresService } from '@app/administration/keys/key-restores.service';
import { KeyShorteningService } from '@app/administration/keys/key-shortening.service';
import { Injectable } from '@nestjs/common';

/** The changes that may wait for a second person, of every service that has some. */
@Injectable()
export class ApprovableChanges {
  readonly byKind: ByKind;

  constructor(
    accounts: AccountChangesService,
    credits: CreditAdjustmentsService,
    lists: AllowListsService,
    bulk: BulkChangesService,
    undo: BulkUndoService,
    policies: KeyPoliciesService,
    shortening: KeyShorteningService,
    restores: KeyRestoresService,
  ) {
    this.byKind = {
      ...accounts.approvable,
      ...credits.approvable,
      ...lists.approvable,
      ...bulk.approvable,
      ...undo.approvable,
      ...policies.approvable,
      ...shortening.approvable,
      ...restores.approvable,
    };
  }
}
