import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import type { Staff } from '@app/domain/staff/staff';
import { Controller, Get, Query } from '@nestjs/common';
import { toManagerId } from '../http/account-filters';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { AllowListTimersQuery, toTimersResponse, type AllowListTimersResponse } from './allow-list-timer.dto';

/** Changes of allow-lists that are reverted automatically. */
@Controller('admin/allow-list-timers')
export class StaffAllowListTimersController {
  constructor(private readonly lists: AllowListsService) {}

  @Get() // List the allow-lists whose undo timer runs
  @RequireStaff('keys.read')
  async list(
    @Query() { manager }: AllowListTimersQuery,
    @CurrentStaff() staff: Staff,
  ): Promise<AllowListTimersResponse> {
    return toTimersResponse(await this.lists.listTimers(toManagerId(manager, staff)));
  }
}
