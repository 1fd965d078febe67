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

@Controller('admin/accounts/:account_id/contacts')
export class StaffAccountContactsController {
  constructor(private readonly contacts: ContactsService) {}

  @Get() // List the contacts of an account
  @RequireStaff('accounts.read')
  async list(@Param('account_id') accountId: string): Promise<ContactsResponse> {
    const items = (await this.contacts.list(accountId)).map(toContactResponse);
    return { items, mail_server: this.contacts.hasMailServer };
  }

  @Get(':contact_id') // Get a contact of an account
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') accountId: string,
    @Param('contact_id') contactId: string,
  ): Promise<ContactResponse> {
    return this.contactResponse(accountId, contactId);
  }

  @Post() // Add a contact to an account
  @RequireStaff('accounts.write')
  async create(
    @Param('account_id') accountId: string,
    @Action() { actor, reason }: ActionByStaff,
    @Body() body: CreateContactBody,
  ): Promise<ContactResponse> {
    const id = await this.contacts.create(actor, accountId, toNewContact(body), reason);
    return this.contactResponse(accountId, id);
  }

  @Patch(':contact_id') // Edit a contact of an account
  @RequireStaff('accounts.write')
  async edit(
    @Param('account_id') accountId: string,
    @Param('contact_id') contactId: string,
    @Change() change: ChangeByStaff,
    @Body() body: EditContactBody,
  ): Promise<ContactResponse> {
    const target = { ...change, accountId, contactId };
    await this.contacts.edit(target, toContactEdit(body));
    return this.contactResponse(accountId, contactId);
  }

  @Delete(':contact_id') // Remove a contact from an account
  @HttpCode(204)
  @RequireStaff('accounts.write')
  async remove(
    @Param('account_id') accountId: string,
    @Param('contact_id') contactId: string,
    @Change() change: ChangeByStaff,
  ): Promise<void> {
    await this.contacts.remove({ ...change, accountId, contactId });
  }

  @Post(':contact_id/test') // Send a test message to a contact of an account
  @HttpCode(202)
  @RequireStaff('accounts.write')
  async test(
    @Param('account_id') accountId: string,
    @Param('contact_id') contactId: string,
    @Action() action: ActionByStaff,
  ): Promise<{ status: 'sent' }> {
    await this.contacts.test({ ...action, accountId, contactId });
    return { status: 'sent' };
  }

  private async contactResponse(accountId: string, contactId: string): Promise<ContactResponse> {
    const contact = await this.contacts.get(accountId, contactId);
    return toContactResponse(contact);
  }
}
