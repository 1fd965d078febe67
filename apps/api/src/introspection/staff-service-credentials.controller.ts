import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { byStaff } from '@app/administration/audit/audit-actors';
import { Change, type ChangeByStaff } from '../http/change';
import { PageQuery, type Page } from '../http/pagination';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import {
  CreateServiceCredentialBody,
  ForwardRulesBody,
  toServiceCredentialResponse,
  type NewServiceCredentialResponse,
  type ServiceCredentialResponse,
} from './service-credential.dto';
import { ServiceCredentialsService } from '@app/administration/keys/service-credentials.service';
import { ServiceCredentialListService } from './service-credential-list.service';

@Controller('admin/service-credentials')
export class StaffServiceCredentialsController {
  constructor(
    private readonly credentials: ServiceCredentialsService,
    private readonly pages: ServiceCredentialListService,
  ) {}

  @Get() // List service credentials
  @RequireStaff('service_credentials.read')
  async list(@Query() query: PageQuery): Promise<Page<ServiceCredentialResponse>> {
    const page = await this.pages.list(query);
    return { ...page, items: page.items.map(toServiceCredentialResponse) };
  }

  @Get(':credential_id') // Get a service credential
  @RequireStaff('service_credentials.read')
  async get(@Param('credential_id') id: string): Promise<ServiceCredentialResponse> {
    return this.credentialResponse(id);
  }

  @Post() // Create a service credential
  @RequireStaff('service_credentials.write', { confirmed: true })
  async create(
    @CurrentStaff() staff: Staff,
    @Body() body: CreateServiceCredentialBody,
  ): Promise<NewServiceCredentialResponse> {
    const { credential, secret } = await this.credentials.create(byStaff(staff), body);
    return { ...(await this.credentialResponse(credential.id)), secret };
  }

  @Post(':credential_id/disable') // Disable a service credential
  @HttpCode(200)
  @RequireStaff('service_credentials.write', { confirmed: true })
  async disable(
    @Param('credential_id') id: string,
    @Change() change: ChangeByStaff,
  ): Promise<ServiceCredentialResponse> {
    const receipt = await this.credentials.disable({ ...change, id });
    return { ...(await this.credentialResponse(id)), receipt };
  }

  @Put(':credential_id/forward-rules') // Set which requests a reverse proxy may forward
  @RequireStaff('service_credentials.write', { confirmed: true })
  async setForwardRules(
    @Param('credential_id') id: string,
    @Body() { forward_rules: rules }: ForwardRulesBody,
    @Change() change: ChangeByStaff,
  ): Promise<ServiceCredentialResponse> {
    const receipt = await this.credentials.setForwardRules({ ...change, id }, rules);
    return { ...(await this.credentialResponse(id)), receipt };
  }

  /** Refused, with what to do instead. */
  @Post(':credential_id/enable') // Enable a service credential
  @HttpCode(200)
  @RequireStaff('service_credentials.write', { confirmed: true })
  async enable(@Param('credential_id') id: string): Promise<ServiceCredentialResponse> {
    return toServiceCredentialResponse(await this.credentials.enable(id));
  }

  @Delete(':credential_id') // Delete a service credential
  @RequireStaff('service_credentials.write', { confirmed: true })
  async delete(
    @Param('credential_id') id: string,
    @Change() change: ChangeByStaff,
  ): Promise<{ id: string; receipt: ChangeReceipt | null }> {
    return { id, receipt: await this.credentials.delete({ ...change, id }) };
  }

  private async credentialResponse(id: string): Promise<ServiceCredentialResponse> {
    const credential = await this.credentials.get(id);
    return toServiceCredentialResponse(credential);
  }
}
