import type { Voice } from '@app/database/voices/voice.entity';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { IdempotentRequests } from '../http/idempotency';
import { ScreeningService } from '../screening/screening.service';
import { CreateVoiceService, type RequestedVoice } from './create-voice.service';

/** A request as it came, with its `Idempotency-Key` if it has one. */
interface KeyedRequest {
  key: string | null;
  body: object;
}

/** Requests to create a voice, each executed once however often it is sent. */
@Injectable()
export class CreateVoiceRequests {
  constructor(
    private readonly requests: IdempotentRequests,
    private readonly voices: CreateVoiceService,
    private readonly screening: ScreeningService,
  ) {}

  /** Creates a voice, or repeats the response to this key. */
  async create<T extends object>(
    caller: Caller,
    { key, body }: KeyedRequest,
    requested: RequestedVoice,
    respond: (voice: Voice) => T,
  ): Promise<T> {
    const { name, description } = requested;
    const screened = { voice_name: name, voice_description: description };
    const refusal = await this.screening.findRefusal(caller, screened);
    if (!refusal) await this.voices.adopt(caller, requested);
    return this.requests.perform(caller, key, body, async (em) =>
      respond(await this.voices.create(caller, requested, refusal, em)),
    );
  }
}
