import { AudioStore } from '@app/audio-store/audio-store';
import { IdempotencyRepository } from '@app/database/common/idempotency.repository';
import { PreviewRepository } from '@app/database/voices/preview.repository';
import { Injectable, Logger } from '@nestjs/common';
import { doAll, ended, type Round } from '../loop';

const BATCH = 200;
/** Longer than any transaction that may still want a preview that has just expired, or audio that was just stored. */
const GRACE_SECS = 3_600;

/** Deletes previews that expired without becoming a voice, audio without a reference, and expired responses. */
@Injectable()
export class PreviewExpiry {
  private readonly logger = new Logger(PreviewExpiry.name);

  constructor(
    private readonly previews: PreviewRepository,
    private readonly audio: AudioStore,
    private readonly requests: IdempotencyRepository,
  ) {}

  /** Deletes one batch of each. */
  async expire(graceSecs = GRACE_SECS): Promise<Round> {
    const [previews = 0, audio = 0, answers = 0] = await doAll([
      async () => this.previews.deleteExpired(graceSecs, BATCH),
      async () => this.audio.deleteUnreferenced(graceSecs, BATCH),
      async () => this.requests.deleteExpired(BATCH),
    ]);
    if (previews + audio + answers > 0) this.logger.log('Expired', { previews, audio, answers });
    const next = [previews, audio, answers].includes(BATCH) ? 'more' : 'idle';
    return ended(next, { preview: previews, recording: audio, response: answers });
  }
}
