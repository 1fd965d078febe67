import type { Draft } from '@app/administration/allow-lists/allow-list-draft';
import type { AllowListDryRun } from '@app/administration/allow-lists/allow-list-dry-runs.service';
import type { ChangedList } from '@app/administration/allow-lists/allow-lists.service';
import { etagOf } from '@app/domain/common/version';
import type { FastifyReply } from 'fastify';
import { toAllowListResponse, toDryRunResponse, type ChangedAllowListResponse } from './allow-list.dto';

/** A list after a change, with its version as the ETag. */
export function toChangedResponse(
  reply: FastifyReply,
  { view, receipt }: ChangedList,
  draft: Draft | null = null,
  dryRun: AllowListDryRun | null = null,
): ChangedAllowListResponse {
  void reply.header('etag', etagOf(view.version));
  return {
    ...toAllowListResponse(view, new Date()),
    corrections: draft?.parsed.corrections ?? [],
    warnings: draft?.parsed.warnings ?? [],
    dry_run: dryRun && toDryRunResponse(dryRun),
    receipt,
  };
}
