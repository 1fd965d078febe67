import { Body, Controller, Get, Param, Patch, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { RolePoliciesService, type RoleState } from './role-policies.service';
import { ChangeRolePolicyBody, toRolePolicyResponse, type RolePolicyResponse } from './role-policy.dto';

@Controller('admin/roles')
export class RolePoliciesController {
  constructor(private readonly policies: RolePoliciesService) {}

  /** What each role requires of its members. */
  @Get()
  @RequireStaff('staff.read')
  async list(): Promise<{ items: RolePolicyResponse[] }> {
    return { items: (await this.policies.list()).map(toRolePolicyResponse) };
  }

  @Get(':role')
  @RequireStaff('staff.read')
  async get(
    @Param('role') role: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RolePolicyResponse> {
    return answer(reply, await this.policies.get(role));
  }

  @Patch(':role')
  @RequireStaff('staff.write', { confirmed: true })
  async change(
    @CurrentStaff() staff: Staff,
    @Param('role') role: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { second_factor_required: secondFactorRequired, reason }: ChangeRolePolicyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RolePolicyResponse> {
    const request = { actor: byStaff(staff), expected, reason };
    return answer(reply, await this.policies.change(role, request, { secondFactorRequired }));
  }
}

function answer(reply: FastifyReply, state: RoleState): RolePolicyResponse {
  void reply.header('etag', etagOf(state.policy.version));
  return toRolePolicyResponse(state);
}
