import { KeySafetyService } from '@app/administration/key-safety/key-safety.service';
import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Staff } from '@app/domain/staff/staff';
import { toManagerId } from '../http/account-filters';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import {
  SafetyListQuery,
  SafetyQuery,
  toAccountSafetyResponse,
  toSafetyResponse,
  toScoredAccountResponse,
  type AccountSafetyResponse,
  type SafetyResponse,
  type ScoredAccountPageResponse,
} from './key-safety.dto';
import { SafetyListService } from './safety-list.service';

@Controller('admin')
export class StaffKeySafetyController {
  constructor(
    private readonly safety: KeySafetyService,
    private readonly accounts: SafetyListService,
  ) {}

  /** How many enabled keys have each finding. */
  @Get('key-safety') // Get how many enabled API keys have each finding
  @RequireStaff('keys.read')
  async get(@CurrentStaff() staff: Staff, @Query() { manager }: SafetyQuery): Promise<SafetyResponse> {
    return toSafetyResponse(await this.safety.get(toAccounts(manager, staff)));
  }

  /** Accounts with enabled keys and their newest scores. */
  @Get('key-safety/accounts') // List accounts by how safe their API keys are
  @RequireStaff('keys.read')
  async listAccounts(
    @CurrentStaff() staff: Staff,
    @Query() { manager, ...query }: SafetyListQuery,
  ): Promise<ScoredAccountPageResponse> {
    const { items, ...page } = await this.accounts.list(toAccounts(manager, staff), query);
    return { items: items.map(toScoredAccountResponse), ...page };
  }

  @Get('accounts/:account_id/key-safety') // Get the findings and scores of an account
  @RequireStaff('keys.read')
  async getOfAccount(@Param('account_id') accountId: string): Promise<AccountSafetyResponse> {
    return toAccountSafetyResponse(await this.safety.getOfAccount(accountId));
  }
}

/** Which accounts a query is about, of those that the caller may see. */
function toAccounts(manager: string | undefined, staff: Staff) {
  return { managerId: toManagerId(manager, staff), withinCredential: staff.boundBy };
}
