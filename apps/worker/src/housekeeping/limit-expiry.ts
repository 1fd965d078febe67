import { PostgresLimitStore } from '@app/limits/postgres-limit-store';
import { SingleUseTokenRepository } from '@app/database/keys/single-use-token.repository';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Loop, type Round } from '../loop';

const EVERY_MS = 10 * 60_000;
const BATCH = 1_000;

/** Deletes single-use tokens that have expired, and what limits have counted long ago. */
@Injectable()
export class LimitExpiry implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LimitExpiry.name);
  private readonly loop = new Loop(LimitExpiry.name, () => this.expire(), EVERY_MS);

  constructor(
    private readonly tokens: SingleUseTokenRepository,
    private readonly limits: PostgresLimitStore,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Deletes one batch of tokens, and all limit data that has expired. */
  async expire(): Promise<Round> {
    const tokens = await this.tokens.deleteExpired(BATCH);
    const counts = await this.limits.deleteOld();
    if (tokens + counts > 0) this.logger.log('Expired', { tokens, counts });
    return tokens === BATCH ? 'more' : 'idle';
  }
}
