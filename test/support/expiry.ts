import { ApprovalsService } from '../../libs/administration/approvals/approvals.service';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { InterruptedRequests } from '../../libs/credits/interrupted-requests';
import { HistoryRepository } from '../../libs/database/history/history.repository';
import { ApiKeyRepository } from '../../libs/database/keys/api-key.repository';
import { ObservedTrafficRepository } from '../../libs/database/traffic/observed-traffic.repository';
import { Expiry } from '../../apps/worker/src/housekeeping/expiry';
import type { Stack } from './stack';

/** The worker's timers that only expire rows, over the database of a stack. */
export function expiryOf({ api, config }: Stack): Expiry {
  return new Expiry(
    api.get(CreditLedger, { strict: false }),
    api.get(InterruptedRequests, { strict: false }),
    api.get(ApprovalsService, { strict: false }),
    api.get(ApiKeyRepository, { strict: false }),
    api.get(HistoryRepository, { strict: false }),
    api.get(ObservedTrafficRepository, { strict: false }),
    config,
  );
}
