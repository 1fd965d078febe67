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
  /** Where the present pass over the stored audio is. */
  private after = '';

  constructor(
    private readonly previews: PreviewRepository,
    private readonly audio: AudioStore,
    private readonly requests: IdempotencyRepository,
  ) {}

  /** Deletes one batch of each, and of audio what one look at the store finds. */
  async expire(graceSecs = GRACE_SECS): Promise<Round> {
    const [previews = 0, audio = 0, responses = 0] = await doAll([
      async () => this.previews.deleteExpired(graceSecs, BATCH),
      async () => this.deleteAudio(graceSecs),
      async () => this.requests.deleteExpired(BATCH),
    ]);
    if (previews + audio + responses > 0) this.logger.log('Expired', { previews, audio, responses });
    const isMore = [previews, responses].includes(BATCH) || this.after !== '';
    return ended(isMore ? 'more' : 'idle', { preview: previews, recording: audio, response: responses });
  }

  private async deleteAudio(graceSecs: number): Promise<number> {
    const { deleted, next } = await this.audio.deleteUnreferenced(graceSecs, this.after);
    this.after = next ?? '';
    return deleted;
  }
}
