import { byStaff } from '@app/administration/audit/audit-actors';
import { KeyPoliciesService } from '@app/administration/keys/key-policies.service';
import type { ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { MayWait } from '../waiting-changes/may-wait';
import { IfMatch } from '../http/etag';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { toDueAt } from '../http/undo-minutes';
import {
  ApplyKeyPolicyBody,
  KeyPolicyDryRunBody,
  SaveKeyPolicyBody,
  toDryRunResponse,
  toKeyPolicyResponse,
  toAppliedResponse,
  toRules,
  type AppliedPolicyResponse,
  type KeyPolicyDryRunResponse,
  type KeyPolicyResponse,
} from './key-policy.dto';

/** What an account demands of its keys, instead of what its tier does. */
@Controller('admin/accounts/:account_id/key-policy')
export class StaffAccountKeyPolicyController {
  constructor(private readonly policies: KeyPoliciesService) {}

  /** The policy that holds, which may be that of the tier; null when none does. */
  @Get()
  @RequireStaff('keys.read')
  async get(@Param('account_id') accountId: string): Promise<{ policy: KeyPolicyResponse | null }> {
    const policy = await this.policies.findHolding(accountId);
    return { policy: policy && toKeyPolicyResponse(policy) };
  }

  @Put()
  @MayWait()
  @RequireStaff('keys.write')
  async save(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, ...rules }: SaveKeyPolicyBody,
  ): Promise<{ policy: KeyPolicyResponse | null }> {
    await this.policies.save(byStaff(staff), { tier: null, accountId }, toRules(rules), reason, expected);
    return this.get(accountId);
  }

  @Delete()
  @MayWait()
  @HttpCode(204)
  @RequireStaff('keys.write')
  async remove(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
  ): Promise<void> {
    await this.policies.remove(byStaff(staff), { tier: null, accountId }, reason, expected);
  }

  @Post('dry-run')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async dryRun(
    @Param('account_id') accountId: string,
    @Body() { grace_days: graceDays, ...rules }: KeyPolicyDryRunBody,
  ): Promise<KeyPolicyDryRunResponse> {
    return toDryRunResponse(await this.policies.dryRun({ tier: null, accountId }, toRules(rules), graceDays));
  }

  @Post('apply')
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write', { confirmed: true })
  async apply(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { grace_days: graceDays, confirm, reason, undo_after_minutes }: ApplyKeyPolicyBody,
  ): Promise<AppliedPolicyResponse> {
    const change = { expected, graceDays, confirm, reason, dueAt: toDueAt(undo_after_minutes) };
    return toAppliedResponse(await this.policies.apply(byStaff(staff), { tier: null, accountId }, change));
  }
}
