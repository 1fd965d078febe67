import { ApprovalsService } from '@app/administration/approvals/approvals.service';
import { AppConfig } from '@app/config/app-config';
import { CreditLedger } from '@app/credits/credit-ledger';
import { InterruptedRequests } from '@app/credits/interrupted-requests';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { HistoryRepository } from '@app/database/history/history.repository';
import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import { DELETED_KEY_DAYS } from '@app/domain/keys/key-status';
import type { TimerName } from '@app/domain/common/timers';
import { TRAFFIC_STORED_DAYS } from '@app/domain/traffic/traffic';
import {
  MAX_READ_COSTS,
  UpstreamAccount,
  upstreamClient,
  upstreamOptions,
} from '@app/voice-engine/upstream-account';
import { Injectable } from '@nestjs/common';
import { ended, type Round } from '../loop';

/** What a timer ends or deletes: how many in one round at most, and what one of them is called. */
interface Expiring {
  readonly batch: number;
  readonly what: string;
  readonly end: (limit: number) => Promise<number>;
}

export type ExpiryTimer = Extract<
  TimerName,
  'credit-holds' | 'approval-expiry' | 'deleted-keys' | 'history-expiry' | 'traffic-retention'
>;

/** The timers that only end or delete rows whose time has come. Several workers end each row once. */
@Injectable()
export class Expiry {
  private readonly table: Record<ExpiryTimer, Expiring>;

  constructor(
    credits: CreditLedger,
    interrupted: InterruptedRequests,
    approvals: ApprovalsService,
    keys: ApiKeyRepository,
    history: HistoryRepository,
    traffic: ObservedTrafficRepository,
    config: AppConfig,
  ) {
    const { historyDays } = config;
    const options = upstreamOptions(config);
    const upstream = options && new UpstreamAccount(upstreamClient(options));
    this.table = {
      // Held credits are the customer's from the deadline on, with or without this: it only brings the ledger up to date.
      'credit-holds': {
        batch: MAX_READ_COSTS,
        what: 'account',
        end: async (limit) => {
          if (upstream) await interrupted.settle((ids) => upstream.readCosts(ids), limit);
          return credits.endLapsedHolds(limit);
        },
      },
      'approval-expiry': { batch: 50, what: 'approval', end: (limit) => approvals.expireDue(limit) },
      // They cannot be restored any more.
      'deleted-keys': {
        batch: 1_000,
        what: 'key',
        end: (limit) => keys.removeDeleted(DELETED_KEY_DAYS, limit),
      },
      // The audio of what was spoken is then deleted as unreferenced.
      'history-expiry': { batch: 500, what: 'entry', end: (limit) => history.deleteOld(historyDays, limit) },
      'traffic-retention': {
        batch: 5_000,
        what: 'row',
        end: (limit) => traffic.deleteOld(TRAFFIC_STORED_DAYS, limit),
      },
    };
  }

  /** Ends one batch. */
  async expire(timer: ExpiryTimer): Promise<Round> {
    const { batch, what, end } = this.table[timer];
    const count = await end(batch);
    return ended(count >= batch ? 'more' : 'idle', { [what]: count });
  }
}
