import type { Caller } from '@app/domain/keys/caller';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import { RequireScope } from '../http/route-access';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { AddSharedVoiceService } from './add-shared-voice.service';
import { AddSharedVoiceBody, OWNER } from './shared-voice.dto';

@Controller('v1/voices/add')
export class PublicAddSharedVoiceController {
  constructor(private readonly shared: AddSharedVoiceService) {}

  /** A copy under its own name, which takes a voice slot; adding a voice again returns the same copy. */
  @Post(':public_user_id/:voice_id') // Add a shared voice to the account
  @HttpCode(200)
  @RequireScope('voices_write')
  async add(
    @CurrentCaller() caller: Caller,
    @Param('public_user_id') owner: string,
    @Param('voice_id') id: string,
    @Body() body: AddSharedVoiceBody,
  ): Promise<{ voice_id: string }> {
    if (owner !== OWNER) throw voiceNotFound(id);
    return { voice_id: await this.shared.add(caller, id, body.new_name) };
  }
}
