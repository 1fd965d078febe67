import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import type { Page } from '../http/pagination';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import {
  AddStaffBody,
  ChangeStaffBody,
  StaffQuery,
  toStaffFilter,
  toStaffResponse,
  type NewStaffResponse,
  type StaffResponse,
} from './staff.dto';
import { ReasonBody } from '../http/reason';
import { StaffSearchService } from './staff-search.service';
import { StaffService, type WithPassword } from '@app/administration/staff/staff.service';

@Controller('admin/staff')
export class StaffMembersController {
  constructor(
    private readonly staffService: StaffService,
    private readonly search: StaffSearchService,
  ) {}

  @Get()
  @RequireStaff('staff.read')
  async list(@Query() query: StaffQuery): Promise<Page<StaffResponse>> {
    const page = await this.search.list(toStaffFilter(query), query);
    return { ...page, items: page.items.map(toStaffResponse) };
  }

  @Get(':staff_id')
  @RequireStaff('staff.read')
  async get(
    @Param('staff_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StaffResponse> {
    return answer(reply, await this.staffService.get(id));
  }

  @Post()
  @RequireStaff('staff.write', { confirmed: true })
  async add(
    @CurrentStaff() staff: Staff,
    @Body() body: AddStaffBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewStaffResponse> {
    return answerWithPassword(reply, await this.staffService.add(byStaff(staff), body));
  }

  @Patch(':staff_id')
  @RequireStaff('staff.write', { confirmed: true })
  async change(
    @CurrentStaff() staff: Staff,
    @Param('staff_id') staffId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, ...change }: ChangeStaffBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StaffResponse> {
    return answer(
      reply,
      await this.staffService.change({ actor: byStaff(staff), staffId, expected, reason }, change),
    );
  }

  @Post(':staff_id/reset-password')
  @HttpCode(200)
  @RequireStaff('staff.write', { confirmed: true })
  async resetPassword(
    @CurrentStaff() staff: Staff,
    @Param('staff_id') staffId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewStaffResponse> {
    const target = { actor: byStaff(staff), staffId, expected, reason };
    return answerWithPassword(reply, await this.staffService.resetPassword(target));
  }

  @Post(':staff_id/reset-second-factor')
  @HttpCode(200)
  @RequireStaff('staff.write', { confirmed: true })
  async resetSecondFactor(
    @CurrentStaff() staff: Staff,
    @Param('staff_id') staffId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StaffResponse> {
    const target = { actor: byStaff(staff), staffId, expected, reason };
    return answer(reply, await this.staffService.resetSecondFactor(target));
  }

  @Post(':staff_id/end-sessions')
  @HttpCode(200)
  @RequireStaff('staff.write', { confirmed: true })
  async endSessions(
    @CurrentStaff() staff: Staff,
    @Param('staff_id') staffId: string,
    @Body() { reason }: ReasonBody,
  ): Promise<{ ended: number }> {
    return this.staffService.endSessions({ actor: byStaff(staff), staffId, reason });
  }
}

function answer(reply: FastifyReply, member: StaffMember): StaffResponse {
  void reply.header('etag', etagOf(member.version));
  return toStaffResponse(member);
}

function answerWithPassword(reply: FastifyReply, { member, password }: WithPassword): NewStaffResponse {
  return { ...answer(reply, member), one_time_password: password };
}
