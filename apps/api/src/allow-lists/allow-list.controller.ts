import { Body, Get, HttpCode, Injectable, Param, Post, Put, Query } from '@nestjs/common';
import { Change, type ChangeByStaff } from '../http/change';
import { MayWait } from '../approvals/may-wait';
import { readDays, TrafficQuery } from '../observed-traffic/observed-traffic.dto';
import { RequireStaff } from '../http/staff-access';
import {
  CheckAllowListBody,
  SuggestAllowListBody,
  DryRunAllowListBody,
  ReplaceAllowListBody,
  toAllowListResponse,
  toInputList,
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
import { StoredAllowLists } from '@app/administration/allow-lists/stored-allow-lists';

/** What the path of a list names. */
type PathParams = Record<string, string>;

/** Editing of a list of a key or an account: the controllers say which. */
@Injectable()
export abstract class AllowListController {
  constructor(
    private readonly lists: AllowListsService,
    private readonly stored: StoredAllowLists,
    private readonly dryRuns: AllowListDryRunsService,
  ) {}

  protected abstract ownerOf(params: PathParams): ListOwner;

  @Get() // Get the IP allow-list of a key or an account
  @RequireStaff('keys.read')
  async get(@Param() params: PathParams): Promise<AllowListResponse> {
    const view = await this.stored.read(this.ownerOf(params));
    return toAllowListResponse(view, new Date());
  }

  /** Where the key, or any key of the account, was used from, refused requests as well. */
  @Get('observed') // List the addresses that a key, or the keys of an account, were used from
  @RequireStaff('keys.read')
  async observe(
    @Param() params: PathParams,
    @Query() query: TrafficQuery,
  ): Promise<ObservedAddressesResponse> {
    const days = readDays(query);
    return toObservedResponse(await this.dryRuns.observe(this.ownerOf(params), days), days);
  }

  /** Replaces the list; `entries: null` removes it. */
  @Put() // Replace or remove the IP allow-list
  @MayWait()
  @RequireStaff('keys.write')
  async replace(
    @Param() params: PathParams,
    @Change() change: ChangeByStaff,
    @Body() { confirm = false, undo_after_minutes = null, ...body }: ReplaceAllowListBody,
  ): Promise<ChangedAllowListResponse> {
    const target = { ...change, owner: this.ownerOf(params) };
    const input = { list: toInputList(body), confirmed: confirm, undoAfterMinutes: undo_after_minutes };
    const { draft, dryRun, ...changed } = await this.lists.replace(target, input);
    return toChangedResponse(changed, draft, dryRun);
  }

  @Post('keep') // Keep a change of the IP allow-list that would be undone automatically
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write')
  async keep(
    @Param() params: PathParams,
    @Change() change: ChangeByStaff,
  ): Promise<ChangedAllowListResponse> {
    return toChangedResponse(await this.lists.keep({ ...change, owner: this.ownerOf(params) }));
  }

  @Post('undo') // Undo the last change of the IP allow-list
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write')
  async undo(
    @Param() params: PathParams,
    @Change() change: ChangeByStaff,
  ): Promise<ChangedAllowListResponse> {
    return toChangedResponse(await this.lists.undo({ ...change, owner: this.ownerOf(params) }));
  }

  /** Reads a list without saving it. */
  @Post('check') // Check a draft of an IP allow-list, line by line, or one address
  @HttpCode(200)
  @RequireStaff('keys.read')
  async check(
    @Param() params: PathParams,
    @Body() { address, ...body }: CheckAllowListBody,
  ): Promise<CheckResponse> {
    return toCheckResponse(await this.dryRuns.check(this.ownerOf(params), toInputList(body), address));
  }

  @Post('dry-run') // Try an IP allow-list against observed traffic
  @HttpCode(200)
  @RequireStaff('keys.read')
  async dryRun(
    @Param() params: PathParams,
    @Body() { days = RECENT_DAYS, ...body }: DryRunAllowListBody,
  ): Promise<DryRunResponse> {
    const draft = this.dryRuns.read(toInputList(body));
    return toDryRunResponse(await this.dryRuns.run(this.ownerOf(params), draft, days));
  }

  @Post('suggest') // Suggest an IP allow-list from observed traffic
  @HttpCode(200)
  @RequireStaff('keys.read')
  async suggest(
    @Param() params: PathParams,
    @Body() { days = RECENT_DAYS }: SuggestAllowListBody,
  ): Promise<SuggestionResponse> {
    return toSuggestionResponse(await this.dryRuns.suggest(this.ownerOf(params), days), days);
  }
}
