import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Action, type ActionByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import {
  HoldBody,
  toWaitingAccountsResponse,
  type WaitingAccountsResponse,
} from './staff-waiting-account.dto';
import { WaitingAccountsService } from '@app/administration/reviews/waiting-accounts.service';

@Controller('admin/queues/accounts')
export class StaffWaitingAccountsController {
  constructor(private readonly accounts: WaitingAccountsService) {}

  /** Accounts with reviews that wait or run, or that staff hold back: those that have waited longest first, at most 100. */
  @Get() // List accounts whose reviews wait or run
  @RequireStaff('queues.read')
  async list(): Promise<WaitingAccountsResponse> {
    return toWaitingAccountsResponse(await this.accounts.list());
  }

  /** Reviews that are in the queue already continue. A hold replaces the one before it, and ends automatically. */
  @Post(':account_id/hold') // Hold the reviews of an account, or move them behind all others
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async hold(
    @Param('account_id') accountId: string,
    @Action() action: ActionByStaff,
    @Body() { kind, minutes }: HoldBody,
  ): Promise<WaitingAccountsResponse> {
    await this.accounts.hold(accountId, { ...action, kind, minutes });
    return this.list();
  }

  @Post(':account_id/release') // Release the reviews of an account
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async release(
    @Param('account_id') accountId: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<WaitingAccountsResponse> {
    await this.accounts.release(accountId, actor, reason);
    return this.list();
  }
}
