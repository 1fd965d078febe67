import { HOLD_KINDS, type HoldKind } from '@app/database/reviews/review-hold.entity';
import type { WaitingAccount } from '@app/database/reviews/review-hold.repository';
import { choose } from '../http/choose';
import { EnumField, IntegerField } from '../http/fields';
import { ReasonBody } from '../http/reason';

const MAX_HOLD_MINUTES = 7 * 1_440;

export class HoldBody extends ReasonBody {
  /** `held`: no further review of the account starts. `behind`: its reviews come after those of all others. */
  @EnumField(HOLD_KINDS)
  kind: HoldKind;

  /** When it ends automatically. */
  @IntegerField({ min: 1, max: MAX_HOLD_MINUTES })
  minutes: number;
}

export interface WaitingAccountsResponse extends ReturnType<typeof toWaitingAccountsResponse> {}

export function toWaitingAccountsResponse(accounts: WaitingAccount[]) {
  return {
    items: accounts.map(toResponse),
  };
}

export interface WaitingAccountResponse extends ReturnType<typeof toResponse> {}

function toResponse({ accountId, name, tier, hold, ...waiting }: WaitingAccount) {
  return {
    account: { id: accountId, name, tier },
    /** Reviews that wait for their turn, those that wait in the queue, and those that wait for their next attempt. */
    waiting_turn: waiting.waitingTurn,
    ...choose(waiting, 'inQueue', 'retrying', 'running'),
    oldest_waiting_secs: rounded(waiting.oldestWaitingSecs),
    longest_running_secs: rounded(waiting.longestRunningSecs),
    hold: hold && {
      kind: hold.kind,
      reason: hold.reason,
      set_by: hold.setBy,
      // PostgreSQL has turned them into JSON.
      set_at: new Date(hold.setAt).toISOString(),
      ends_at: new Date(hold.endsAt).toISOString(),
    },
  };
}

function rounded(secs: number | null): number | null {
  return secs === null ? null : Math.max(0, Math.round(secs));
}
