import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { PageQuery, type Page } from '../http/pagination';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
import {
  CreateServiceCredentialBody,
  toServiceCredentialResponse,
  type NewServiceCredentialResponse,
  type ServiceCredentialResponse,
} from './service-credential.dto';
import { ServiceCredentialsService } from './service-credentials.service';

@Controller('admin/service-credentials')
export class StaffServiceCredentialsController {
  constructor(private readonly credentials: ServiceCredentialsService) {}

  @Get()
  @RequireStaff('service_credentials.read')
  async list(@Query() query: PageQuery): Promise<Page<ServiceCredentialResponse>> {
    const page = await this.credentials.list(query);
    return { ...page, items: page.items.map(toServiceCredentialResponse) };
  }

  @Get(':credential_id')
  @RequireStaff('service_credentials.read')
  async get(
    @Param('credential_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ServiceCredentialResponse> {
    return this.answer(reply, id);
  }

  @Post()
  @RequireStaff('service_credentials.write', { confirmed: true })
  async create(
    @CurrentStaff() staff: Staff,
    @Body() body: CreateServiceCredentialBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewServiceCredentialResponse> {
    const { credential, secret } = await this.credentials.create(byStaff(staff), body);
    return { ...(await this.answer(reply, credential.id)), secret };
  }

  @Post(':credential_id/disable')
  @HttpCode(200)
  @RequireStaff('service_credentials.write', { confirmed: true })
  async disable(
    @CurrentStaff() staff: Staff,
    @Param('credential_id') id: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ServiceCredentialResponse> {
    const receipt = await this.credentials.disable({ actor: byStaff(staff), id, expected, reason });
    return { ...(await this.answer(reply, id)), receipt };
  }

  /** Refused, with what to do instead. */
  @Post(':credential_id/enable')
  @HttpCode(200)
  @RequireStaff('service_credentials.write', { confirmed: true })
  async enable(@Param('credential_id') id: string): Promise<ServiceCredentialResponse> {
    return toServiceCredentialResponse(await this.credentials.enable(id));
  }

  @Delete(':credential_id')
  @RequireStaff('service_credentials.write', { confirmed: true })
  async delete(
    @CurrentStaff() staff: Staff,
    @Param('credential_id') id: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
  ): Promise<{ id: string; receipt: ChangeReceipt | null }> {
    return { id, receipt: await this.credentials.delete({ actor: byStaff(staff), id, expected, reason }) };
  }

  private async answer(reply: FastifyReply, id: string): Promise<ServiceCredentialResponse> {
    const credential = await this.credentials.get(id);
    void reply.header('etag', etagOf(credential.version));
    return toServiceCredentialResponse(credential);
  }
}
