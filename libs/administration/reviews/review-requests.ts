import type { Transition } from '@app/database/voices/review-events';
import type { Voice } from '@app/database/voices/voice.entity';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { REVIEW_VOICE } from '@app/domain/reviews/review-state';
import { OutboxRepository } from '@app/queue/outbox.repository';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Who requests a review, and why. */
type Cause = Omit<Transition, 'to'> & { requestId: string };

/** Requests reviews, in the transaction that needs them. */
@Injectable()
export class ReviewRequests {
  constructor(
    private readonly voices: VoiceRepository,
    private readonly outbox: OutboxRepository,
  ) {}

  /** The first review of a voice that this transaction adds. */
  async first(voiceId: string, requestId: string, em: EntityManager): Promise<void> {
    await this.outbox.enqueue(REVIEW_VOICE, { voiceId, generation: 1, requestId }, voiceId, em);
  }

  /** Another review of a voice, with a full set of attempts. Returns its generation. */
  async again(voice: Voice, { requestId, ...cause }: Cause, em: EntityManager): Promise<number> {
    const generation = await this.voices.startGeneration(voice, 0, cause, em);
    await this.outbox.enqueue(REVIEW_VOICE, { voiceId: voice.id, generation, requestId }, voice.id, em);
    return generation;
  }
}
