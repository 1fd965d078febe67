import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { byStaff } from '@app/administration/audit/audit-actors';
import { ManagementCredentialsService } from '@app/administration/staff/management-credentials.service';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Change, type ChangeByStaff } from '../http/change';
import { PageQuery, type Page } from '../http/pagination';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { ManagementCredentialListService } from './management-credential-list.service';
import {
  CreateManagementCredentialBody,
  EditManagementCredentialBody,
  overlapOf,
  RotateManagementCredentialBody,
  toEdit,
  toManagementCredentialResponse,
  toSettings,
  type ManagementCredentialResponse,
  type NewManagementCredentialResponse,
} from './management-credential.dto';

@Controller('admin/management-credentials')
export class StaffManagementCredentialsController {
  constructor(
    private readonly credentials: ManagementCredentialsService,
    private readonly pages: ManagementCredentialListService,
  ) {}

  @Get() // List management credentials
  @RequireStaff('management_credentials.read')
  async list(@Query() query: PageQuery): Promise<Page<ManagementCredentialResponse>> {
    const page = await this.pages.list(query);
    return { ...page, items: page.items.map(toManagementCredentialResponse) };
  }

  @Get(':credential_id') // Get a management credential
  @RequireStaff('management_credentials.read')
  async get(@Param('credential_id') id: string): Promise<ManagementCredentialResponse> {
    return this.response(id);
  }

  @Post() // Create a management credential
  @RequireStaff('management_credentials.write', { confirmed: true })
  async create(
    @CurrentStaff() staff: Staff,
    @Body() body: CreateManagementCredentialBody,
  ): Promise<NewManagementCredentialResponse> {
    const issued = await this.credentials.create(byStaff(staff), staff.id, toSettings(body), body.reason);
    return { ...(await this.response(issued.id)), secret: issued.secret };
  }

  @Patch(':credential_id') // Edit a management credential
  @RequireStaff('management_credentials.write', { confirmed: true })
  async edit(
    @Param('credential_id') id: string,
    @Change() change: ChangeByStaff,
    @Body() body: EditManagementCredentialBody,
  ): Promise<ManagementCredentialResponse> {
    await this.credentials.edit({ ...change, id }, toEdit(body));
    return this.response(id);
  }

  /** For who has created it. */
  @Post(':credential_id/rotate') // Rotate the secret of a management credential
  @HttpCode(200)
  @RequireStaff('management_credentials.write', { confirmed: true })
  async rotate(
    @Param('credential_id') id: string,
    @Change() change: ChangeByStaff,
    @Body() body: RotateManagementCredentialBody,
  ): Promise<NewManagementCredentialResponse> {
    const secret = await this.credentials.rotate({ ...change, id }, overlapOf(body));
    return { ...(await this.response(id)), secret };
  }

  /** For good, and from the next request on. */
  @Post(':credential_id/disable') // Disable a management credential
  @HttpCode(200)
  @RequireStaff('management_credentials.write', { confirmed: true })
  async disable(
    @Param('credential_id') id: string,
    @Change() change: ChangeByStaff,
  ): Promise<ManagementCredentialResponse> {
    const receipt = await this.credentials.disable({ ...change, id });
    return { ...(await this.response(id)), receipt };
  }

  @Delete(':credential_id') // Delete a management credential
  @RequireStaff('management_credentials.write', { confirmed: true })
  async delete(
    @Param('credential_id') id: string,
    @Change() change: ChangeByStaff,
  ): Promise<{ id: string; receipt: ChangeReceipt | null }> {
    return { id, receipt: await this.credentials.delete({ ...change, id }) };
  }

  private async response(id: string): Promise<ManagementCredentialResponse> {
    return toManagementCredentialResponse(await this.credentials.get(id));
  }
}
