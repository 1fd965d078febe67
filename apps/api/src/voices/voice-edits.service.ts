import type { VoicePatch } from '@app/database/voices/voice-change.repository';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable } from '@nestjs/common';
import type { Upload } from '../http/upload';
import { ScreeningService } from '../screening/screening.service';
import { RecordingUploads, type ReceivedRecordings } from './recording-uploads';
import { VoiceChangesService } from './voice-changes.service';
import { VoiceSamplesService } from './voice-samples.service';
import { VoicesService } from './voices.service';

/** Edits that accounts send for their voices, with or without recordings. */
@Injectable()
export class VoiceEditsService {
  constructor(
    private readonly voices: VoicesService,
    private readonly uploads: RecordingUploads,
    private readonly samples: VoiceSamplesService,
    private readonly changes: VoiceChangesService,
    private readonly screening: ScreeningService,
  ) {}

  /** Changes what a voice is called and how it is described, and adds the recordings. All of it, or nothing. */
  async edit(caller: Caller, voiceId: string, upload: Upload<VoicePatch>): Promise<void> {
    const admit = async () => this.samples.admit(caller, await this.voices.get(caller, voiceId));
    const edit = async ({ fields, recordings }: ReceivedRecordings<VoicePatch>) => {
      await this.screening.require(caller, { name: fields.name, description: fields.description });
      if (recordings.length === 0) return this.changes.edit(caller, voiceId, fields);
      return this.samples.add(caller, voiceId, fields, recordings);
    };
    return this.uploads.receive(caller, upload, edit, admit);
  }
}
