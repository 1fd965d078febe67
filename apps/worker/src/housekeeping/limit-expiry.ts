import { PostgresLimitStore } from '@app/limits/postgres-limit-store';
import { SingleUseTokenRepository } from '@app/database/keys/single-use-token.repository';
import { Injectable, Logger } from '@nestjs/common';
import { ended, type Round } from '../loop';

const BATCH = 1_000;

/** Deletes single-use tokens that have expired, and what limits have counted long ago. */
@Injectable()
export class LimitExpiry {
  private readonly logger = new Logger(LimitExpiry.name);

  constructor(
    private readonly tokens: SingleUseTokenRepository,
    private readonly limits: PostgresLimitStore,
  ) {}

  /** Deletes one batch of tokens, and all limit data that has expired. */
  async expire(): Promise<Round> {
    const tokens = await this.tokens.deleteExpired(BATCH);
    const counts = await this.limits.deleteOld();
    if (tokens + counts > 0) this.logger.log('Expired', { tokens, counts });
    return ended(tokens === BATCH ? 'more' : 'idle', { token: tokens, count: counts });
  }
}
