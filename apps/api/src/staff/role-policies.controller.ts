import { Body, Controller, Get, Param, Patch, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { RolePoliciesService } from './role-policies.service';
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
    const policy = await this.policies.get(role);
    void reply.header('etag', etagOf(policy.version));
    return toRolePolicyResponse(policy);
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
    const policy = await this.policies.change(
      role,
      { actor: byStaff(staff), expected, reason },
      { secondFactorRequired },
    );
    void reply.header('etag', etagOf(policy.version));
    return toRolePolicyResponse(policy);
  }
}
