import { Body, Controller, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import type { AccountStatus } from '@app/domain/accounts/account-status';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import type { Page } from '../http/pagination';
import { MayWait } from '../waiting-changes/may-wait';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
import { AccountChangesService, type AccountTarget } from './account-changes.service';
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
  toOverrides,
  type AccountDetailResponse,
  type ListedAccountResponse,
} from './staff-account.dto';

@Controller('admin/accounts')
export class StaffAccountsController {
  constructor(
    private readonly search: AccountSearchService,
    private readonly changes: AccountChangesService,
  ) {}

  @Get()
  @RequireStaff('accounts.read')
  async list(
    @CurrentStaff() staff: Staff,
    @Query() query: AccountQuery,
  ): Promise<Page<ListedAccountResponse>> {
    const page = await this.search.list(toFilter(query, staff), query);
    const now = Date.now();
    return { ...page, items: page.items.map((account) => toListedAccount(account, now)) };
  }

  @Get(':account_id')
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDetailResponse> {
    return this.answer(reply, id);
  }

  @Post()
  @RequireStaff('accounts.write')
  async create(
    @CurrentStaff() staff: Staff,
    @Body() body: CreateAccountBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDetailResponse> {
    const { name, tier, tags, external_id: externalId, reason } = body;
    const account = { name, tier, overrides: toOverrides(body), tags, externalId };
    return this.answer(reply, await this.changes.create(byStaff(staff), account, reason));
  }

  @Patch(':account_id')
  @MayWait()
  @RequireStaff('accounts.write')
  async edit(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() body: EditAccountBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDetailResponse> {
    const { name, tier, tags, external_id: externalId, reason } = body;
    const edit = { name, tier, overrides: toOverrides(body), tags, externalId };
    const receipt = await this.changes.edit({ actor: byStaff(staff), accountId, expected, reason }, edit);
    return this.answer(reply, accountId, receipt);
  }

  @Post(':account_id/suspend')
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async suspend(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDetailResponse> {
    return this.setStatus(reply, { actor: byStaff(staff), accountId, expected, reason }, 'suspended');
  }

  @Post(':account_id/reactivate')
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async reactivate(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDetailResponse> {
    return this.setStatus(reply, { actor: byStaff(staff), accountId, expected, reason }, 'active');
  }

  /** For good: a closed account is not opened again. */
  @Post(':account_id/close')
  @HttpCode(200)
  @RequireStaff('accounts.write', { confirmed: true })
  async close(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDetailResponse> {
    return this.setStatus(reply, { actor: byStaff(staff), accountId, expected, reason }, 'closed');
  }

  @Put(':account_id/ip-allow-list-entitlement')
  @MayWait()
  @RequireStaff('entitlements.write', { confirmed: true })
  async setEntitlement(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { enabled, reason }: EntitlementBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDetailResponse> {
    const target = { actor: byStaff(staff), accountId, expected, reason };
    return this.answer(reply, accountId, await this.changes.setAllowListEntitlement(target, enabled));
  }

  /** Without it, the account's voices come from descriptions only. */
  @Put(':account_id/recordings-consent')
  @RequireStaff('entitlements.write', { confirmed: true })
  async setRecordingsConsent(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { given, reason }: RecordingsConsentBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDetailResponse> {
    const target = { actor: byStaff(staff), accountId, expected, reason };
    return this.answer(reply, accountId, await this.changes.setRecordingsConsent(target, given));
  }

  @Put(':account_id/manager')
  @RequireStaff('accounts.write')
  async setManager(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { staff_id: managerId, reason }: ManagerBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDetailResponse> {
    const target = { actor: byStaff(staff), accountId, expected, reason };
    return this.answer(reply, accountId, await this.changes.setManager(target, managerId));
  }

  private async setStatus(
    reply: FastifyReply,
    target: AccountTarget,
    status: AccountStatus,
  ): Promise<AccountDetailResponse> {
    return this.answer(reply, target.accountId, await this.changes.setStatus(target, status));
  }

  private async answer(
    reply: FastifyReply,
    id: string,
    receipt?: ChangeReceipt | null,
  ): Promise<AccountDetailResponse> {
    const found = await this.search.get(id);
    void reply.header('etag', etagOf(found.account.version));
    return { ...toAccountDetail(found), ...(receipt !== undefined && { receipt }) };
  }
}
