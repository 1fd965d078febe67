import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { DELETED_KEY_DAYS } from '@app/domain/keys/key-status';
import { Injectable } from '@nestjs/common';
import { ended, type Round } from '../loop';

const BATCH = 1_000;

/** Removes keys that were deleted so long ago that they cannot be restored any more. */
@Injectable()
export class DeletedKeys {
  constructor(private readonly keys: ApiKeyRepository) {}

  /** Removes one batch. */
  async remove(): Promise<Round> {
    const removed = await this.keys.removeDeleted(DELETED_KEY_DAYS, BATCH);
    return ended(removed >= BATCH ? 'more' : 'idle', { key: removed });
  }
}
