import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import type { Page } from '../http/pagination';
import { toApprovalResponse, type WaitingChangeResponse } from '../approvals/approval.dto';
import { MayWait } from '../approvals/may-wait';
import { Change, type ChangeByStaff } from '../http/change';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { AccountSearchService } from './account-search.service';
import { CreditAdjustmentsService } from '@app/administration/accounts/credit-adjustments.service';
import { AccountCreditsService } from './account-credits.service';
import {
  LedgerQuery,
  MoveCreditsBody,
  RequestCreditsBody,
  toAccountCredits,
  toEnd,
  toLedgerFilter,
  toLedgerLine,
  type AccountCreditsResponse,
  type LedgerLineResponse,
} from './staff-credits.dto';

@Controller('admin/accounts/:account_id')
export class StaffCreditsController {
  constructor(
    private readonly accounts: AccountSearchService,
    private readonly credits: AccountCreditsService,
    private readonly adjustments: CreditAdjustmentsService,
  ) {}

  @Get('credits') // Get the credits of an account
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountCreditsResponse> {
    return this.creditsResponse(reply, id);
  }

  @Get('ledger') // List the ledger of an account
  @RequireStaff('accounts.read')
  async listLedger(
    @Param('account_id') id: string,
    @Query() query: LedgerQuery,
  ): Promise<Page<LedgerLineResponse>> {
    const page = await this.credits.listLedger(toLedgerFilter(id, query), query);
    return { ...page, items: page.items.map(toLedgerLine) };
  }

  @Post('credits') // Grant or revoke credits
  @MayWait()
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async move(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { kind, amount, key_id: keyId = null, ends_at: endsAt, reason }: MoveCreditsBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountCreditsResponse> {
    const receipt = await this.adjustments.move(
      { actor: byStaff(staff), accountId, expected, reason },
      { kind, amount, keyId, requestId: staff.requestId, ...toEnd(endsAt) },
    );
    return { ...(await this.creditsResponse(reply, accountId)), receipt };
  }

  /** What charges give back to it afterwards is not used any more. */
  @Post('prepaid-credits/:grant_id/revoke') // Take back what is left of a prepaid grant
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async revoke(
    @Param('account_id') accountId: string,
    @Param('grant_id') grantId: string,
    @Change() change: ChangeByStaff,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountCreditsResponse> {
    const receipt = await this.adjustments.revoke({ ...change, accountId }, grantId);
    return { ...(await this.creditsResponse(reply, accountId)), receipt };
  }

  /** It waits for who may grant credits, and is made in the name of who has requested it. */
  @Post('credit-requests') // Request credits for an account, for who may grant them
  @HttpCode(202)
  @RequireStaff('credits.request')
  async request(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Body()
    {
      kind = 'grant',
      amount,
      key_id: keyId = null,
      ends_at: endsAt,
      ledger_line_id: lineId,
      reason,
    }: RequestCreditsBody,
  ): Promise<WaitingChangeResponse> {
    const approval = await this.adjustments.request(
      { actor: byStaff(staff), accountId, expected: 'any', reason },
      { kind, amount, keyId, requestId: staff.requestId, lineId: lineId ?? undefined, ...toEnd(endsAt) },
    );
    return { approval: toApprovalResponse(approval, staff) };
  }

  private async creditsResponse(reply: FastifyReply, id: string): Promise<AccountCreditsResponse> {
    const [{ account }, credits] = await Promise.all([this.accounts.get(id), this.credits.get(id)]);
    void reply.header('etag', etagOf(account.version));
    return toAccountCredits(credits);
  }
}
