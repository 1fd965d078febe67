import { ContactsService } from '@app/administration/alerts/contacts.service';
import { ContactSecrets } from '@app/alerts/contact-secrets';
import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { OptionalBody, StringField } from '../http/fields';
import { Form, type IncomingForm } from '../http/form';
import { Pages } from '../http/produces';
import { PublicFormRoute, PublicRoute } from '../http/route-access';
import { unsubscribePage } from './unsubscribe-page';

/** The form of a mail program, and the empty one of the page. */
@OptionalBody()
class OneClickBody {
  @StringField({ optional: true, max: 100 })
  'List-Unsubscribe'?: string;
}

/** Where the link in a mail leads. Opening it changes nothing, because programs open links too; the button and a mail program's own do (RFC 8058). */
@Controller('unsubscribe')
@Pages()
export class PublicUnsubscribeController {
  constructor(
    private readonly contacts: ContactsService,
    private readonly secrets: ContactSecrets,
  ) {}

  @Get(':token')
  @PublicRoute()
  async ask(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    await send(reply, this.secrets.readUnsubscribeToken(token) === null ? 'unknown' : 'ask');
  }

  @Post(':token')
  @HttpCode(200)
  @PublicFormRoute()
  async confirm(
    @Param('token') token: string,
    @Form(OneClickBody) form: IncomingForm<OneClickBody>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await form.read();
    const contactId = this.secrets.readUnsubscribeToken(token);
    if (contactId !== null) await this.contacts.unsubscribe(contactId);
    await send(reply, contactId === null ? 'unknown' : 'done');
  }
}

async function send(reply: FastifyReply, state: 'ask' | 'done' | 'unknown'): Promise<void> {
  const { headers, body } = unsubscribePage(state);
  await reply
    .status(state === 'unknown' ? 404 : 200)
    .headers(headers)
    .send(body);
}
