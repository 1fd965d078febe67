import { toRules } from '@app/domain/keys/key-policy';
import { KeyPoliciesService } from '@app/administration/keys/key-policies.service';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { MayWait } from '../approvals/may-wait';
import { Change, type ChangeByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { toDueAt } from '../http/undo-minutes';
import {
  ApplyKeyPolicyBody,
  KeyPolicyDryRunBody,
  SaveKeyPolicyBody,
  toDryRunResponse,
  toKeyPolicyResponse,
  toAppliedResponse,
  type AppliedPolicyResponse,
  type KeyPolicyDryRunResponse,
  type KeyPolicyResponse,
} from './key-policy.dto';

/** What an account demands of its keys, instead of what its tier does. */
@Controller('admin/accounts/:account_id/key-policy')
export class StaffAccountKeyPolicyController {
  constructor(private readonly policies: KeyPoliciesService) {}

  /** The policy that holds, which may be that of the tier; null when none does. */
  @Get() // Get the key policy that holds for an account
  @RequireStaff('keys.read')
  async get(@Param('account_id') accountId: string): Promise<{ policy: KeyPolicyResponse | null }> {
    const policy = await this.policies.findHolding(accountId);
    return { policy: policy && toKeyPolicyResponse(policy) };
  }

  @Put() // Set the key policy of an account
  @MayWait()
  @RequireStaff('keys.write')
  async save(
    @Param('account_id') accountId: string,
    @Change() { actor, expected, reason }: ChangeByStaff,
    @Body() body: SaveKeyPolicyBody,
  ): Promise<{ policy: KeyPolicyResponse | null }> {
    await this.policies.save(actor, { tier: null, accountId }, toRules(body), reason, expected);
    return this.get(accountId);
  }

  @Delete() // Remove the key policy of an account
  @MayWait()
  @HttpCode(204)
  @RequireStaff('keys.write')
  async remove(
    @Param('account_id') accountId: string,
    @Change() { actor, expected, reason }: ChangeByStaff,
  ): Promise<void> {
    await this.policies.remove(actor, { tier: null, accountId }, reason, expected);
  }

  @Post('dry-run') // Try a key policy for an account
  @HttpCode(200)
  @RequireStaff('keys.read')
  async dryRun(
    @Param('account_id') accountId: string,
    @Body() { grace_days: graceDays, ...rules }: KeyPolicyDryRunBody,
  ): Promise<KeyPolicyDryRunResponse> {
    return toDryRunResponse(await this.policies.dryRun({ tier: null, accountId }, toRules(rules), graceDays));
  }

  @Post('apply') // Give the keys of an account the expiry that its policy allows
  @MayWait()
  @HttpCode(200)
  @RequireStaff('keys.write', { confirmed: true })
  async apply(
    @Param('account_id') accountId: string,
    @Change() { actor, expected, reason }: ChangeByStaff,
    @Body() { grace_days: graceDays, confirm, undo_after_minutes }: ApplyKeyPolicyBody,
  ): Promise<AppliedPolicyResponse> {
    const change = { expected, graceDays, confirm, reason, dueAt: toDueAt(undo_after_minutes) };
    return toAppliedResponse(await this.policies.apply(actor, { tier: null, accountId }, change));
  }
}
