import { Body, Controller, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
import {
  CheckAllowListBody,
  SuggestAllowListBody,
  DryRunAllowListBody,
  ReplaceAllowListBody,
  toAllowListResponse,
  toGivenList,
  toCheckResponse,
  toSuggestionResponse,
  toDryRunResponse,
  type AllowListResponse,
  type ChangedAllowListResponse,
  type CheckResponse,
  type SuggestionResponse,
  type DryRunResponse,
} from './allow-list.dto';
import type { Draft } from '@app/administration/allow-lists/allow-list-draft';
import {
  AllowListDryRunsService,
  RECENT_DAYS,
  type AllowListDryRun,
} from '@app/administration/allow-lists/allow-list-dry-runs.service';
import { AllowListsService, type ChangedList } from '@app/administration/allow-lists/allow-lists.service';

@Controller('admin/api-keys/:key_id/allowed-ips')
export class StaffAllowListsController {
  constructor(
    private readonly lists: AllowListsService,
    private readonly dryRuns: AllowListDryRunsService,
  ) {}

  @Get()
  @RequireStaff('keys.read')
  async get(
    @Param('key_id') keyId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AllowListResponse> {
    const view = await this.lists.get(keyId);
    void reply.header('etag', etagOf(view.version));
    return toAllowListResponse(view, new Date());
  }

  /** Gives the key another list; `entries: null` takes it away. */
  @Put()
  @RequireStaff('keys.write')
  async replace(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, confirm = false, undo_after_minutes = null, ...body }: ReplaceAllowListBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedAllowListResponse> {
    const target = { actor: byStaff(staff), keyId, expected, reason };
    const given = { list: toGivenList(body), confirmed: confirm, undoAfterMinutes: undo_after_minutes };
    const { draft, dryRun, ...changed } = await this.lists.replace(target, given);
    return answer(reply, changed, draft, dryRun);
  }

  @Post('keep')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async keep(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedAllowListResponse> {
    return answer(reply, await this.lists.keep({ actor: byStaff(staff), keyId, expected, reason }));
  }

  @Post('undo')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async undo(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedAllowListResponse> {
    return answer(reply, await this.lists.undo({ actor: byStaff(staff), keyId, expected, reason }));
  }

  /** Reads a list without saving it. */
  @Post('check')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async check(
    @Param('key_id') keyId: string,
    @Body() { address, ...body }: CheckAllowListBody,
  ): Promise<CheckResponse> {
    return toCheckResponse(await this.dryRuns.check(keyId, toGivenList(body), address));
  }

  @Post('dry-run')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async dryRun(
    @Param('key_id') keyId: string,
    @Body() { days = RECENT_DAYS, ...body }: DryRunAllowListBody,
  ): Promise<DryRunResponse> {
    const draft = this.dryRuns.read(toGivenList(body));
    return toDryRunResponse(await this.dryRuns.run(keyId, draft, days));
  }

  @Post('suggest')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async suggest(
    @Param('key_id') keyId: string,
    @Body() { days = RECENT_DAYS }: SuggestAllowListBody,
  ): Promise<SuggestionResponse> {
    return toSuggestionResponse(await this.dryRuns.suggest(keyId, days), days);
  }
}

function answer(
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
