import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentStaff, RequireSession, RequireSessionBefore } from '../http/staff-access';
import { OwnPasskeysService } from './own-passkeys.service';
import {
  AddPasskeyBody,
  RenamePasskeyBody,
  toPasskeyResponse,
  type PasskeyOptionsResponse,
  type PasskeyResponse,
} from './passkey.dto';

@Controller('admin/me/passkeys')
export class OwnPasskeysController {
  constructor(private readonly passkeys: OwnPasskeysService) {}

  @Get() // List the own passkeys
  @RequireSessionBefore('second_factor')
  async list(@CurrentStaff() staff: Staff): Promise<{ items: PasskeyResponse[] }> {
    return { items: (await this.passkeys.list(staff)).map(toPasskeyResponse) };
  }

  /** What a browser needs to make a passkey; valid for five minutes. */
  @Post('options') // Start to add a passkey
  @HttpCode(200)
  @RequireSessionBefore('second_factor', { confirmed: true })
  async start(
    @CurrentStaff() staff: Staff,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PasskeyOptionsResponse> {
    const { options, cookies } = await this.passkeys.start(staff);
    void reply.header('set-cookie', cookies);
    return { options };
  }

  @Post() // Add a passkey
  @HttpCode(201)
  @RequireSessionBefore('second_factor', { confirmed: true })
  async add(@CurrentStaff() staff: Staff, @Body() body: AddPasskeyBody): Promise<PasskeyResponse> {
    return toPasskeyResponse(await this.passkeys.add(staff, body));
  }

  @Patch(':passkey_id') // Rename one of the own passkeys
  @RequireSession()
  async rename(
    @CurrentStaff() staff: Staff,
    @Param('passkey_id') id: string,
    @Body() { name }: RenamePasskeyBody,
  ): Promise<PasskeyResponse> {
    return toPasskeyResponse(await this.passkeys.rename(staff, id, name));
  }

  @Delete(':passkey_id') // Remove one of the own passkeys
  @HttpCode(204)
  @RequireSession({ confirmed: true })
  async remove(@CurrentStaff() staff: Staff, @Param('passkey_id') id: string): Promise<void> {
    await this.passkeys.remove(staff, id);
  }
}
