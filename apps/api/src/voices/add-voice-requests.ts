import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { IdempotentRequests } from '../http/idempotency';
import type { Upload } from '../http/upload';
import { ScreeningService } from '../screening/screening.service';
import { AddVoiceService, type AddedVoice } from './add-voice.service';
import { RecordingsConsent } from './recordings-consent';
import { RecordingUploads } from './recording-uploads';

/** Requests to make a voice of recordings, each executed once however often it is sent with the same key. */
@Injectable()
export class AddVoiceRequests {
  constructor(
    private readonly consent: RecordingsConsent,
    private readonly uploads: RecordingUploads,
    private readonly requests: IdempotentRequests,
    private readonly voices: AddVoiceService,
    private readonly screening: ScreeningService,
  ) {}

  /** Creates a voice, or repeats the response to this key. Without consent nothing of the body is read. */
  async add<T extends object>(
    caller: Caller,
    key: string | null,
    upload: Upload<AddedVoice>,
    respond: (voiceId: string) => T,
  ): Promise<T> {
    await this.consent.require(caller);
    return this.uploads.receive(caller, upload, async ({ fields, recordings }) => {
      const content = { ...fields, recordings: recordings.map(({ audioDigest }) => audioDigest) };
      const { name, description } = fields;
      const refusal = await this.screening.findRefusal(caller, { name, description });
      return this.requests.perform(caller, key, content, async (em) => {
        if (refusal) throw refusal;
        return respond(await this.voices.add(caller, fields, recordings, em));
      });
    });
  }
}
