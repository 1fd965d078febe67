import { PostgresLimitStore } from '@app/limits/postgres-limit-store';
import { BudgetRepository } from '@app/database/credits/budget.repository';
import { SingleUseTokenRepository } from '@app/database/keys/single-use-token.repository';
import { Injectable, Logger } from '@nestjs/common';
import { ended, type Round } from '../loop';

const BATCH = 1_000;

/** Deletes single-use tokens that have expired, and what limits and budgets have counted long ago. */
@Injectable()
export class LimitExpiry {
  private readonly logger = new Logger(LimitExpiry.name);

  constructor(
    private readonly tokens: SingleUseTokenRepository,
    private readonly limits: PostgresLimitStore,
    private readonly budgets: BudgetRepository,
  ) {}

  /** Deletes one batch of tokens and of what end users have used of budgets, and all limit data that has expired. */
  async expire(): Promise<Round> {
    const tokens = await this.tokens.deleteExpired(BATCH);
    const counts = await this.limits.deleteOld();
    const ofEndUsers = await this.budgets.deleteEnded(BATCH);
    if (tokens + counts + ofEndUsers > 0) this.logger.log('Expired', { tokens, counts, ofEndUsers });
    const isMore = tokens === BATCH || ofEndUsers === BATCH;
    return ended(isMore ? 'more' : 'idle', { token: tokens, count: counts + ofEndUsers });
  }
}
