import { Body, Get, HttpCode, Injectable, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { MayWait } from '../waiting-changes/may-wait';
import { readDays, TrafficQuery } from '../observed-traffic/observed-traffic.dto';
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
  toObservedResponse,
  toSuggestionResponse,
  toDryRunResponse,
  type AllowListResponse,
  type ChangedAllowListResponse,
  type CheckResponse,
  type ObservedAddressesResponse,
  type SuggestionResponse,
  type DryRunResponse,
} from './allow-list.dto';
import type { ListOwner } from '@app/database/keys/allow-list.repository';
import {
  AllowListDryRunsService,
  RECENT_DAYS,
} from '@app/administration/allow-lists/allow-list-dry-runs.service';
import { toChangedResponse } from './changed-list.dto';
import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';

/** What the path of a list names. */
type PathParams = Record<string, string>;

/** Editing of a list of a key or an account: the controllers say which. */
@Injectable()
export abstract class AllowListController {
  constructor(
    private readonly lists: AllowListsService,
    private readonly dryRuns: AllowListDryRunsService,
  ) {}

  protected abstract ownerOf(params: PathParams): ListOwner;

  @Get()
  @RequireStaff('keys.read')
  async get(
    @Param() params: PathParams,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AllowListResponse> {
    const view = await this.lists.get(this.ownerOf(params));
    void reply.header('etag', etagOf(view.version));
    return toAllowListResponse(view, new Date());
  }

  /** Where the key, or any key of the account, was used from, refused requests as well. */
  @Get('observed')
  @RequireStaff('keys.read')
  async observe(
    @Param() params: PathParams,
    @Query() query: TrafficQuery,
  ): Promise<ObservedAddressesResponse> {
    const days = readDays(query);
    return toObservedResponse(await this.dryRuns.observe(this.ownerOf(params), days), days);
  }

  /** Replaces the list; `entries: null` removes it. */
  @Put()
  @MayWait()
  @RequireStaff('keys.write')
  async replace(
    @CurrentStaff() staff: Staff,
    @Param() params: PathParams,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, confirm = false, undo_after_minutes = null, ...body }: ReplaceAllowListBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedAllowListResponse> {
    const target = { actor: byStaff(staff), owner: this.ownerOf(params), expected, reason };
    const given = { list: toGivenList(body), confirmed: confirm, undoAfterMinutes: undo_after_minutes };
    const { draft, dryRun, ...changed } = await this.lists.replace(target, given);
    return toChangedResponse(reply, changed, draft, dryRun);
  }

  @Post('keep')
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write')
  async keep(
    @CurrentStaff() staff: Staff,
    @Param() params: PathParams,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedAllowListResponse> {
    return toChangedResponse(
      reply,
      await this.lists.keep({ actor: byStaff(staff), owner: this.ownerOf(params), expected, reason }),
    );
  }

  @Post('undo')
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write')
  async undo(
    @CurrentStaff() staff: Staff,
    @Param() params: PathParams,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedAllowListResponse> {
    return toChangedResponse(
      reply,
      await this.lists.undo({ actor: byStaff(staff), owner: this.ownerOf(params), expected, reason }),
    );
  }

  /** Reads a list without saving it. */
  @Post('check')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async check(
    @Param() params: PathParams,
    @Body() { address, ...body }: CheckAllowListBody,
  ): Promise<CheckResponse> {
    return toCheckResponse(await this.dryRuns.check(this.ownerOf(params), toGivenList(body), address));
  }

  @Post('dry-run')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async dryRun(
    @Param() params: PathParams,
    @Body() { days = RECENT_DAYS, ...body }: DryRunAllowListBody,
  ): Promise<DryRunResponse> {
    const draft = this.dryRuns.read(toGivenList(body));
    return toDryRunResponse(await this.dryRuns.run(this.ownerOf(params), draft, days));
  }

  @Post('suggest')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async suggest(
    @Param() params: PathParams,
    @Body() { days = RECENT_DAYS }: SuggestAllowListBody,
  ): Promise<SuggestionResponse> {
    return toSuggestionResponse(await this.dryRuns.suggest(this.ownerOf(params), days), days);
  }
}
