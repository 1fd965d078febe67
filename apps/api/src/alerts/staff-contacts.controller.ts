import { ContactsService } from '@app/administration/alerts/contacts.service';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import {
  CreateContactBody,
  EditContactBody,
  toContactEdit,
  toContactResponse,
  toNewContact,
  type ContactResponse,
  type ContactsResponse,
} from './contact.dto';

@Controller('admin/contacts')
export class StaffContactsController {
  constructor(private readonly contacts: ContactsService) {}

  @Get() // List the contacts of the installation
  @RequireStaff('alerts.read')
  async list(): Promise<ContactsResponse> {
    const items = (await this.contacts.list(null)).map(toContactResponse);
    return { items, mail_server: this.contacts.hasMailServer };
  }

  @Get(':contact_id') // Get a contact of the installation
  @RequireStaff('alerts.read')
  async get(@Param('contact_id') contactId: string): Promise<ContactResponse> {
    return this.contactResponse(contactId);
  }

  @Post() // Add a contact to the installation
  @RequireStaff('alerts.write')
  async create(
    @Action() { actor, reason }: ActionByStaff,
    @Body() body: CreateContactBody,
  ): Promise<ContactResponse> {
    const id = await this.contacts.create(actor, null, toNewContact(body), reason);
    return this.contactResponse(id);
  }

  @Patch(':contact_id') // Edit a contact of the installation
  @RequireStaff('alerts.write')
  async edit(
    @Param('contact_id') contactId: string,
    @Change() change: ChangeByStaff,
    @Body() body: EditContactBody,
  ): Promise<ContactResponse> {
    const target = { ...change, accountId: null, contactId };
    await this.contacts.edit(target, toContactEdit(body));
    return this.contactResponse(contactId);
  }

  @Delete(':contact_id') // Remove a contact from the installation
  @HttpCode(204)
  @RequireStaff('alerts.write')
  async remove(@Param('contact_id') contactId: string, @Change() change: ChangeByStaff): Promise<void> {
    await this.contacts.remove({ ...change, accountId: null, contactId });
  }

  @Post(':contact_id/test') // Send a test message to a contact of the installation
  @HttpCode(202)
  @RequireStaff('alerts.write')
  async test(
    @Param('contact_id') contactId: string,
    @Action() action: ActionByStaff,
  ): Promise<{ status: 'sent' }> {
    await this.contacts.test({ ...action, accountId: null, contactId });
    return { status: 'sent' };
  }

  private async contactResponse(contactId: string): Promise<ContactResponse> {
    const contact = await this.contacts.get(null, contactId);
    return toContactResponse(contact);
  }
}
