import type { Draft } from '@app/administration/allow-lists/allow-list-draft';
import type { AllowListDryRun } from '@app/administration/allow-lists/allow-list-dry-runs.service';
import type { ChangedList } from '@app/administration/allow-lists/allow-lists.service';
import { toAllowListResponse, toDryRunResponse, type ChangedAllowListResponse } from './allow-list.dto';

/** A list after a change. */
export function toChangedResponse(
  { view, receipt }: ChangedList,
  draft: Draft | null = null,
  dryRun: AllowListDryRun | null = null,
): ChangedAllowListResponse {
  return {
    ...toAllowListResponse(view, new Date()),
    corrections: draft?.parsed.corrections ?? [],
    warnings: draft?.parsed.warnings ?? [],
    dry_run: dryRun && toDryRunResponse(dryRun),
    receipt,
  };
}
