import { Body, Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import type { Caller } from '@app/domain/keys/caller';
import { RequireScope } from '../http/route-access';
import { EditVoiceBody, toPatch, toSettingsEdit, VoiceSettingsBody } from './edit-voice.dto';
import { VoiceChangesService } from './voice-changes.service';

/** The wire contract's response to a change. */
interface DoneResponse {
  status: 'ok';
}

const DONE: DoneResponse = { status: 'ok' };

@Controller('v1/voices')
export class PublicVoiceChangesController {
  constructor(private readonly changes: VoiceChangesService) {}

  @Post(':voice_id/edit')
  @HttpCode(200)
  @RequireScope('voices_write', { multipart: true })
  async edit(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @Body() body: EditVoiceBody,
  ): Promise<DoneResponse> {
    await this.changes.edit(caller, id, toPatch(body));
    return DONE;
  }

  @Post(':voice_id/settings/edit')
  @HttpCode(200)
  @RequireScope('voices_write')
  async editSettings(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @Body() body: VoiceSettingsBody,
  ): Promise<DoneResponse> {
    await this.changes.editSettings(caller, id, toSettingsEdit(body));
    return DONE;
  }

  @Delete(':voice_id')
  @RequireScope('voices_write')
  async delete(@CurrentCaller() caller: Caller, @Param('voice_id') id: string): Promise<DoneResponse> {
    await this.changes.delete(caller, id);
    return DONE;
  }

  /** Refused: a voice has one sample, which goes with it. */
  @Delete(':voice_id/samples/:sample_id')
  @RequireScope('voices_write')
  async deleteSample(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') voiceId: string,
    @Param('sample_id') sampleId: string,
  ): Promise<DoneResponse> {
    return this.changes.deleteSample(caller, voiceId, sampleId);
  }
}
