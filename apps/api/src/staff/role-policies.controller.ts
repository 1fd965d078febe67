import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { Change, type ChangeByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { RolePoliciesService, type RoleState } from '@app/administration/staff/role-policies.service';
import { ChangeRolePolicyBody, toRolePolicyResponse, type RolePolicyResponse } from './role-policy.dto';

@Controller('admin/roles')
export class RolePoliciesController {
  constructor(private readonly policies: RolePoliciesService) {}

  /** What each role requires of its members. */
  @Get() // List what each role requires of its members
  @RequireStaff('staff.read')
  async list(): Promise<{ items: RolePolicyResponse[] }> {
    return { items: (await this.policies.list()).map(toRolePolicyResponse) };
  }

  @Get(':role') // Get what a role requires of its members
  @RequireStaff('staff.read')
  async get(@Param('role') role: string): Promise<RolePolicyResponse> {
    return policyResponse(await this.policies.get(role));
  }

  @Patch(':role') // Require a second factor of a role, or stop to
  @RequireStaff('staff.write', { confirmed: true })
  async change(
    @Param('role') role: string,
    @Change() change: ChangeByStaff,
    @Body() { second_factor_required: secondFactorRequired }: ChangeRolePolicyBody,
  ): Promise<RolePolicyResponse> {
    return policyResponse(await this.policies.change(role, change, { secondFactorRequired }));
  }
}

function policyResponse(state: RoleState): RolePolicyResponse {
  return toRolePolicyResponse(state);
}
