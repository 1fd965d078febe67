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
  toNamedKeyPolicyResponse,
  toAppliedResponse,
  toTierScope,
  type AppliedPolicyResponse,
  type KeyPolicyDryRunResponse,
  type NamedKeyPolicyResponse,
} from './key-policy.dto';

/** What tiers demand of the keys of their accounts. */
@Controller('admin/key-policies')
export class StaffKeyPoliciesController {
  constructor(private readonly policies: KeyPoliciesService) {}

  /** Those of tiers, then those of accounts. */
  @Get() // List the key policies of tiers and accounts
  @RequireStaff('keys.read')
  async list(): Promise<{ items: NamedKeyPolicyResponse[] }> {
    return { items: (await this.policies.list()).map(toNamedKeyPolicyResponse) };
  }

  @Put(':tier') // Set the key policy of a tier
  @MayWait()
  @RequireStaff('key_policies.write')
  async save(
    @Param('tier') tier: string,
    @Change() { actor, expected, reason }: ChangeByStaff,
    @Body() body: SaveKeyPolicyBody,
  ): Promise<{ items: NamedKeyPolicyResponse[] }> {
    await this.policies.save(actor, toTierScope(tier), toRules(body), reason, expected);
    return this.list();
  }

  @Delete(':tier') // Remove the key policy of a tier
  @MayWait()
  @HttpCode(204)
  @RequireStaff('key_policies.write')
  async remove(
    @Param('tier') tier: string,
    @Change() { actor, expected, reason }: ChangeByStaff,
  ): Promise<void> {
    await this.policies.remove(actor, toTierScope(tier), reason, expected);
  }

  @Post(':tier/dry-run') // Try a key policy for a tier
  @HttpCode(200)
  @RequireStaff('keys.read')
  async dryRun(
    @Param('tier') tier: string,
    @Body() { grace_days: graceDays, ...rules }: KeyPolicyDryRunBody,
  ): Promise<KeyPolicyDryRunResponse> {
    return toDryRunResponse(await this.policies.dryRun(toTierScope(tier), toRules(rules), graceDays));
  }

  @Post(':tier/apply') // Give the keys of a tier the expiry that its policy allows
  @MayWait()
  @HttpCode(200)
  @RequireStaff('key_policies.write', { confirmed: true })
  async apply(
    @Param('tier') tier: string,
    @Change() { actor, expected, reason }: ChangeByStaff,
    @Body() { grace_days: graceDays, confirm, undo_after_minutes }: ApplyKeyPolicyBody,
  ): Promise<AppliedPolicyResponse> {
    const change = { expected, graceDays, confirm, reason, dueAt: toDueAt(undo_after_minutes) };
    return toAppliedResponse(await this.policies.apply(actor, toTierScope(tier), change));
  }
}
