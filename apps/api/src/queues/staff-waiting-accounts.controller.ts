import { byStaff } from '@app/administration/audit/audit-actors';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import {
  HoldBody,
  toWaitingAccountsResponse,
  type WaitingAccountsResponse,
} from './staff-waiting-account.dto';
import { WaitingAccountsService } from './waiting-accounts.service';

@Controller('admin/queues/accounts')
export class StaffWaitingAccountsController {
  constructor(private readonly accounts: WaitingAccountsService) {}

  /** Accounts with reviews that wait or run, or that staff hold back: those that have waited longest first, at most 100. */
  @Get()
  @RequireStaff('queues.read')
  async list(): Promise<WaitingAccountsResponse> {
    return toWaitingAccountsResponse(await this.accounts.list());
  }

  /** Reviews that are in the queue already continue. A hold replaces the one before it, and ends automatically. */
  @Post(':account_id/hold')
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async hold(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Body() { kind, minutes, reason }: HoldBody,
  ): Promise<WaitingAccountsResponse> {
    await this.accounts.hold(accountId, { actor: byStaff(staff), reason, kind, minutes });
    return this.list();
  }

  @Post(':account_id/release')
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async release(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Body() { reason }: ReasonBody,
  ): Promise<WaitingAccountsResponse> {
    await this.accounts.release(accountId, byStaff(staff), reason);
    return this.list();
  }
}
