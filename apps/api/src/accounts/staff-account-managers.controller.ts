import { Controller, Get } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { AccountSearchService } from './account-search.service';
import { toManager, type ManagerResponse } from './staff-account.dto';

@Controller('admin/account-managers')
export class StaffAccountManagersController {
  constructor(private readonly search: AccountSearchService) {}

  /** Members of staff who may be assigned to an account, by name. */
  @Get() // List who may be assigned as an account manager
  @RequireStaff('accounts.read')
  async list(): Promise<{ items: ManagerResponse[] }> {
    return { items: (await this.search.listManagers()).map(toManager) };
  }
}
