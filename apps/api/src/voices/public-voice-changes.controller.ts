import { Body, Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import type { Caller } from '@app/domain/keys/caller';
import { Form, type IncomingForm } from '../http/form';
import { IdempotencyKey } from '../http/idempotency';
import { RequireScope } from '../http/route-access';
import { AddVoiceRequests } from './add-voice-requests';
import {
  AddVoiceBody,
  EditVoiceBody,
  toAddedVoice,
  toPatch,
  toSettingsEdit,
  VoiceSettingsBody,
} from './edit-voice.dto';
import { VoiceChangesService } from './voice-changes.service';
import { VoiceEditsService } from './voice-edits.service';
import { VoiceSamplesService } from './voice-samples.service';

/** The wire contract's response to a change. */
interface DoneResponse {
  status: 'ok';
}

/** The wire contract's response to a voice from recordings. Nothing here verifies a speaker beside the consent. */
interface AddVoiceResponse {
  voice_id: string;
  requires_verification: false;
}

const DONE: DoneResponse = { status: 'ok' };

@Controller('v1/voices')
export class PublicVoiceChangesController {
  constructor(
    private readonly additions: AddVoiceRequests,
    private readonly edits: VoiceEditsService,
    private readonly changes: VoiceChangesService,
    private readonly samples: VoiceSamplesService,
  ) {}

  /** A voice of up to 25 recordings of up to 11 MiB. Staff must have noted the consent of those who speak in them. */
  @Post('add') // Add a voice made of recordings
  @HttpCode(200)
  @RequireScope('voices_write', { multipart: true })
  async add(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | null,
    @Form(AddVoiceBody) form: IncomingForm<AddVoiceBody>,
  ): Promise<AddVoiceResponse> {
    const respond = (id: string): AddVoiceResponse => ({ voice_id: id, requires_verification: false });
    return this.additions.add(caller, key, form.as(toAddedVoice), respond);
  }

  @Post(':voice_id/edit') // Edit the name, description and labels of a voice, or add recordings
  @HttpCode(200)
  @RequireScope('voices_write', { multipart: true })
  async edit(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @Form(EditVoiceBody) form: IncomingForm<EditVoiceBody>,
  ): Promise<DoneResponse> {
    await this.edits.edit(caller, id, form.as(toPatch));
    return DONE;
  }

  @Post(':voice_id/settings/edit') // Edit the settings of a voice
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

  @Delete(':voice_id') // Delete a voice and its audio
  @RequireScope('voices_write')
  async delete(@CurrentCaller() caller: Caller, @Param('voice_id') id: string): Promise<DoneResponse> {
    await this.changes.delete(caller, id);
    return DONE;
  }

  /** The last sample of a voice stays, and goes with it. */
  @Delete(':voice_id/samples/:sample_id') // Delete a sample
  @RequireScope('voices_write')
  async deleteSample(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') voiceId: string,
    @Param('sample_id') sampleId: string,
  ): Promise<DoneResponse> {
    await this.samples.delete(caller, voiceId, sampleId);
    return DONE;
  }
}
