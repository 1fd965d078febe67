import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { byStaff } from '@app/administration/audit/audit-actors';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import type { Page } from '../http/pagination';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import {
  AddStaffBody,
  ChangeStaffBody,
  StaffQuery,
  toStaffFilter,
  toListedStaff,
  toStaffResponse,
  type ListedStaffResponse,
  type NewStaffResponse,
  type StaffResponse,
} from './staff.dto';
import { StaffSearchService } from './staff-search.service';
import { StaffService, type WithPassword } from '@app/administration/staff/staff.service';

@Controller('admin/staff')
export class StaffMembersController {
  constructor(
    private readonly staffService: StaffService,
    private readonly search: StaffSearchService,
  ) {}

  @Get() // List members of staff
  @RequireStaff('staff.read')
  async list(@Query() query: StaffQuery): Promise<Page<ListedStaffResponse>> {
    const page = await this.search.list(toStaffFilter(query), query);
    return { ...page, items: page.items.map(toListedStaff) };
  }

  @Get(':staff_id') // Get a member of staff
  @RequireStaff('staff.read')
  async get(@Param('staff_id') id: string): Promise<StaffResponse> {
    return memberResponse(await this.staffService.get(id));
  }

  @Post() // Add a member of staff
  @RequireStaff('staff.write', { confirmed: true })
  async add(@CurrentStaff() staff: Staff, @Body() body: AddStaffBody): Promise<NewStaffResponse> {
    return respondWithPassword(await this.staffService.add(byStaff(staff), body));
  }

  @Patch(':staff_id') // Change the role of a member of staff, or deactivate
  @RequireStaff('staff.write', { confirmed: true })
  async change(
    @Param('staff_id') staffId: string,
    @Change() change: ChangeByStaff,
    @Body() body: ChangeStaffBody,
  ): Promise<StaffResponse> {
    return memberResponse(await this.staffService.change({ ...change, staffId }, body));
  }

  @Post(':staff_id/reset-password') // Give a member of staff a one-time password
  @HttpCode(200)
  @RequireStaff('staff.write', { confirmed: true })
  async resetPassword(
    @Param('staff_id') staffId: string,
    @Change() change: ChangeByStaff,
  ): Promise<NewStaffResponse> {
    const target = { ...change, staffId };
    return respondWithPassword(await this.staffService.resetPassword(target));
  }

  @Post(':staff_id/reset-second-factor') // Reset the second factor of a member of staff
  @HttpCode(200)
  @RequireStaff('staff.write', { confirmed: true })
  async resetSecondFactor(
    @Param('staff_id') staffId: string,
    @Change() change: ChangeByStaff,
  ): Promise<StaffResponse> {
    const target = { ...change, staffId };
    return memberResponse(await this.staffService.resetSecondFactor(target));
  }

  @Post(':staff_id/end-sessions') // End the sessions of a member of staff
  @HttpCode(200)
  @RequireStaff('staff.write', { confirmed: true })
  async endSessions(
    @Param('staff_id') staffId: string,
    @Action() action: ActionByStaff,
  ): Promise<{ ended: number }> {
    return this.staffService.endSessions({ ...action, staffId });
  }
}

function memberResponse(member: StaffMember): StaffResponse {
  return toStaffResponse(member);
}

function respondWithPassword({ member, password }: WithPassword): NewStaffResponse {
  return { ...memberResponse(member), one_time_password: password };
}
