import { byStaff } from '@app/administration/audit/audit-actors';
import { ContactsService } from '@app/administration/alerts/contacts.service';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { IfMatch } from '../http/etag';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import {
  CreateContactBody,
  EditContactBody,
  toContactEdit,
  toContactResponse,
  toNewContact,
  type ContactResponse,
} from './contact.dto';

@Controller('admin/contacts')
export class StaffContactsController {
  constructor(private readonly contacts: ContactsService) {}

  @Get()
  @RequireStaff('alerts.read')
  async list(): Promise<{ items: ContactResponse[] }> {
    return { items: (await this.contacts.list(null)).map(toContactResponse) };
  }

  @Get(':contact_id')
  @RequireStaff('alerts.read')
  async get(
    @Param('contact_id') contactId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContactResponse> {
    return this.answer(reply, contactId);
  }

  @Post()
  @RequireStaff('alerts.write')
  async create(
    @CurrentStaff() staff: Staff,
    @Body() body: CreateContactBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContactResponse> {
    const id = await this.contacts.create(byStaff(staff), null, toNewContact(body), body.reason);
    return this.answer(reply, id);
  }

  @Patch(':contact_id')
  @RequireStaff('alerts.write')
  async edit(
    @CurrentStaff() staff: Staff,
    @Param('contact_id') contactId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() body: EditContactBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContactResponse> {
    const target = { actor: byStaff(staff), accountId: null, contactId, expected, reason: body.reason };
    await this.contacts.edit(target, toContactEdit(body));
    return this.answer(reply, contactId);
  }

  @Delete(':contact_id')
  @HttpCode(204)
  @RequireStaff('alerts.write')
  async remove(
    @CurrentStaff() staff: Staff,
    @Param('contact_id') contactId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
  ): Promise<void> {
    await this.contacts.remove({ actor: byStaff(staff), accountId: null, contactId, expected, reason });
  }

  @Post(':contact_id/test')
  @HttpCode(202)
  @RequireStaff('alerts.write')
  async test(
    @CurrentStaff() staff: Staff,
    @Param('contact_id') contactId: string,
    @Body() { reason }: ReasonBody,
  ): Promise<{ status: 'sent' }> {
    await this.contacts.test({ actor: byStaff(staff), accountId: null, contactId, reason });
    return { status: 'sent' };
  }

  private async answer(reply: FastifyReply, contactId: string): Promise<ContactResponse> {
    const contact = await this.contacts.get(null, contactId);
    void reply.header('etag', etagOf(contact.version));
    return toContactResponse(contact);
  }
}
