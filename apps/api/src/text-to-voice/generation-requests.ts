import type { Caller } from '@app/domain/keys/caller';
import { Injectable } from '@nestjs/common';
import { IdempotentRequests } from '../http/idempotency';
import { toGenerationResponse, type Generated, type GenerationResponse } from './design-response';

/** Requests for previews, each generated and charged once however often it is sent with its `Idempotency-Key`. */
@Injectable()
export class GenerationRequests {
  constructor(private readonly requests: IdempotentRequests) {}

  async generate(
    caller: Caller,
    key: string | null,
    request: object,
    generate: () => Promise<Generated>,
  ): Promise<GenerationResponse> {
    if (key === null) return toGenerationResponse(await generate());
    const earlier = await this.requests.begin<GenerationResponse>(caller, key, request);
    if (earlier) return earlier;
    try {
      const response = toGenerationResponse(await generate());
      await this.requests.store(caller, key, response);
      return response;
    } catch (error) {
      await this.requests.release(caller, key);
      throw error;
    }
  }
}
