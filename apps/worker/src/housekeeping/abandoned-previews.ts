import { CreditLedger } from '@app/credits/credit-ledger';
import { PreviewRepository } from '@app/database/voices/preview.repository';
import { Injectable, Logger } from '@nestjs/common';
import { ended, type Round } from '../loop';

const BATCH = 50;
/** Longer than any engine may take for one request. */
const FAIL_AFTER_SECS = 600;

/** Fails previews whose process died while it spoke them, and refunds their credits. */
@Injectable()
export class AbandonedPreviews {
  private readonly logger = new Logger(AbandonedPreviews.name);

  constructor(
    private readonly previews: PreviewRepository,
    private readonly credits: CreditLedger,
  ) {}

  /** Settles one batch. The refund comes first and happens once, however often this is repeated. */
  async fail(waitedSecs = FAIL_AFTER_SECS): Promise<Round> {
    const abandoned = await this.previews.listAbandoned(waitedSecs, BATCH);
    for (const { accountId, requestId } of abandoned) {
      const refunded = await this.credits.refund(accountId, requestId);
      await this.previews.markFailed(accountId, requestId);
      this.logger.warn('Previews failed: their process has gone', { accountId, requestId, refunded });
    }
    return ended(abandoned.length === BATCH ? 'more' : 'idle', { request: abandoned.length });
  }
}
