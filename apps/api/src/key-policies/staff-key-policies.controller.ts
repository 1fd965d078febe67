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
  toNamedKeyPolicyResponse,
  toAppliedResponse,
  toRules,
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
  @Get()
  @RequireStaff('keys.read')
  async list(): Promise<{ items: NamedKeyPolicyResponse[] }> {
    return { items: (await this.policies.list()).map(toNamedKeyPolicyResponse) };
  }

  @Put(':tier')
  @MayWait()
  @RequireStaff('key_policies.write')
  async save(
    @CurrentStaff() staff: Staff,
    @Param('tier') tier: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, ...rules }: SaveKeyPolicyBody,
  ): Promise<{ items: NamedKeyPolicyResponse[] }> {
    await this.policies.save(byStaff(staff), toTierScope(tier), toRules(rules), reason, expected);
    return this.list();
  }

  @Delete(':tier')
  @MayWait()
  @HttpCode(204)
  @RequireStaff('key_policies.write')
  async remove(
    @CurrentStaff() staff: Staff,
    @Param('tier') tier: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
  ): Promise<void> {
    await this.policies.remove(byStaff(staff), toTierScope(tier), reason, expected);
  }

  @Post(':tier/dry-run')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async dryRun(
    @Param('tier') tier: string,
    @Body() { grace_days: graceDays, ...rules }: KeyPolicyDryRunBody,
  ): Promise<KeyPolicyDryRunResponse> {
    return toDryRunResponse(await this.policies.dryRun(toTierScope(tier), toRules(rules), graceDays));
  }

  @Post(':tier/apply')
  @MayWait()
  @HttpCode(200)
  @RequireStaff('key_policies.write', { confirmed: true })
  async apply(
    @CurrentStaff() staff: Staff,
    @Param('tier') tier: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { grace_days: graceDays, confirm, reason, undo_after_minutes }: ApplyKeyPolicyBody,
  ): Promise<AppliedPolicyResponse> {
    const change = { expected, graceDays, confirm, reason, dueAt: toDueAt(undo_after_minutes) };
    return toAppliedResponse(await this.policies.apply(byStaff(staff), toTierScope(tier), change));
  }
}
