import { Body, Controller, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import type { AccountStatus } from '@app/domain/accounts/account-status';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import { fromWire, UNDONE_OF_ACCOUNTS } from '@app/domain/accounts/account-fields';
import type { Page } from '../http/pagination';
import { toRevertAt, toSetting } from '../http/revert-at';
import { MayWait } from '../approvals/may-wait';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import {
  AccountChangesService,
  type AccountTarget,
} from '@app/administration/accounts/account-changes.service';
import { AccountSearchService } from './account-search.service';
import {
  AccountQuery,
  CreateAccountBody,
  EditAccountBody,
  EntitlementBody,
  ManagerBody,
  RecordingsConsentBody,
  toAccountDetail,
  toFilter,
  toListedAccount,
  type AccountDetailResponse,
  type ListedAccountResponse,
} from './staff-account.dto';

@Controller('admin/accounts')
export class StaffAccountsController {
  constructor(
    private readonly search: AccountSearchService,
    private readonly changes: AccountChangesService,
  ) {}

  @Get() // List accounts
  @RequireStaff('accounts.read')
  async list(
    @CurrentStaff() staff: Staff,
    @Query() query: AccountQuery,
  ): Promise<Page<ListedAccountResponse>> {
    const page = await this.search.list(toFilter(query, staff), query);
    const now = Date.now();
    return { ...page, items: page.items.map((account) => toListedAccount(account, now)) };
  }

  @Get(':account_id') // Get an account
  @RequireStaff('accounts.read')
  async get(@Param('account_id') id: string): Promise<AccountDetailResponse> {
    return this.accountResponse(id);
  }

  @Post() // Create an account
  @RequireStaff('accounts.write')
  async create(
    @Action() { actor, reason }: ActionByStaff,
    @Body() body: CreateAccountBody,
  ): Promise<AccountDetailResponse> {
    const account = { ...fromWire(body), name: body.name, tier: body.tier };
    return this.accountResponse(await this.changes.create(actor, account, reason));
  }

  @Patch(':account_id') // Edit an account
  @MayWait()
  @RequireStaff('accounts.write')
  async edit(
    @Param('account_id') accountId: string,
    @Change() change: ChangeByStaff,
    @Body() body: EditAccountBody,
  ): Promise<AccountDetailResponse> {
    const revertAt = toRevertAt(body.revert_at)?.toISOString();
    const edit = { ...fromWire(body), ...(revertAt && { revertAt }) };
    const receipt = await this.changes.edit({ ...change, accountId }, edit);
    return this.accountResponse(accountId, receipt);
  }

  /** Restores what a setting was before its last change: its tier, or an override of a limit. */
  @Post(':account_id/settings/:setting/undo') // Undo the last change of a setting of an account
  @MayWait()
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async undo(
    @Param('account_id') accountId: string,
    @Param('setting') setting: string,
    @Change() change: ChangeByStaff,
  ): Promise<AccountDetailResponse> {
    const named = toSetting(setting, UNDONE_OF_ACCOUNTS);
    return this.accountResponse(accountId, await this.changes.undo({ ...change, accountId }, named));
  }

  @Post(':account_id/settings/:setting/keep') // Keep a change of an account that would be undone automatically
  @MayWait()
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async keep(
    @Param('account_id') accountId: string,
    @Param('setting') setting: string,
    @Change() change: ChangeByStaff,
  ): Promise<AccountDetailResponse> {
    const named = toSetting(setting, UNDONE_OF_ACCOUNTS);
    return this.accountResponse(accountId, await this.changes.keep({ ...change, accountId }, named));
  }

  @Post(':account_id/suspend') // Suspend an account
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async suspend(
    @Param('account_id') accountId: string,
    @Change() change: ChangeByStaff,
  ): Promise<AccountDetailResponse> {
    return this.setStatus({ ...change, accountId }, 'suspended');
  }

  @Post(':account_id/reactivate') // Reactivate an account
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async reactivate(
    @Param('account_id') accountId: string,
    @Change() change: ChangeByStaff,
  ): Promise<AccountDetailResponse> {
    return this.setStatus({ ...change, accountId }, 'active');
  }

  /** For good: a closed account is not opened again. */
  @Post(':account_id/close') // Close an account for good
  @HttpCode(200)
  @RequireStaff('accounts.write', { confirmed: true })
  async close(
    @Param('account_id') accountId: string,
    @Change() change: ChangeByStaff,
  ): Promise<AccountDetailResponse> {
    return this.setStatus({ ...change, accountId }, 'closed');
  }

  @Put(':account_id/ip-allow-list-entitlement') // Switch IP allow-lists of an account on or off
  @MayWait()
  @RequireStaff('entitlements.write', { confirmed: true })
  async setEntitlement(
    @Param('account_id') accountId: string,
    @Change() change: ChangeByStaff,
    @Body() { enabled }: EntitlementBody,
  ): Promise<AccountDetailResponse> {
    const target = { ...change, accountId };
    return this.accountResponse(accountId, await this.changes.setAllowListEntitlement(target, enabled));
  }

  /** Without it, the account's voices come from descriptions only. */
  @Put(':account_id/recordings-consent') // Note or withdraw the consent to recordings of an account
  @RequireStaff('entitlements.write', { confirmed: true })
  async setRecordingsConsent(
    @Param('account_id') accountId: string,
    @Change() change: ChangeByStaff,
    @Body() { given }: RecordingsConsentBody,
  ): Promise<AccountDetailResponse> {
    const target = { ...change, accountId };
    return this.accountResponse(accountId, await this.changes.setRecordingsConsent(target, given));
  }

  @Put(':account_id/manager') // Assign an account manager to an account
  @RequireStaff('accounts.write')
  async setManager(
    @Param('account_id') accountId: string,
    @Change() change: ChangeByStaff,
    @Body() { staff_id: managerId }: ManagerBody,
  ): Promise<AccountDetailResponse> {
    const target = { ...change, accountId };
    return this.accountResponse(accountId, await this.changes.setManager(target, managerId));
  }

  private async setStatus(target: AccountTarget, status: AccountStatus): Promise<AccountDetailResponse> {
    return this.accountResponse(target.accountId, await this.changes.setStatus(target, status));
  }

  private async accountResponse(id: string, receipt?: ChangeReceipt | null): Promise<AccountDetailResponse> {
    const found = await this.search.get(id);
    return { ...toAccountDetail(found), ...(receipt !== undefined && { receipt }) };
  }
}
