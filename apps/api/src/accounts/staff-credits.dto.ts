import { checkTime } from '@app/domain/common/field-checks';
import { toTime } from '@app/domain/common/times';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { CreditBalanceHistory } from '@app/database/credits/credit-balance-history.entity';
import {
  LEDGER_KINDS,
  type CreditLedgerLine,
  type LedgerKind,
} from '@app/database/credits/credit-ledger-line.entity';
import type { ReconciliationBreach } from '@app/database/credits/credit-reconciliation.repository';
import type {
  CurrentCredits,
  KeyCredits,
  LedgerFilter,
  PrepaidGrant,
} from '@app/database/credits/credit-ledger.repository';
import { CREDIT_KINDS, type CreditKind } from '@app/domain/credits/credit-adjustment';
import { shownCreditsLeft } from '@app/domain/credits/credits-left';
import { isUuid } from '@app/domain/common/uuid';
import { choose } from '../http/choose';
import { invalid } from '../http/wire-problem';
import { CheckedField, EnumField, IntegerField, StringField } from '../http/fields';
import { PageQuery } from '../http/pagination';
import type { AccountCredits } from './account-credits.service';
import { ReasonBody } from '../http/reason';

const MAYBE = { optional: true };

export class LedgerQuery extends PageQuery {
  @StringField({ optional: true, max: 36 })
  key_id?: string;

  @EnumField(LEDGER_KINDS, MAYBE)
  kind?: LedgerKind;

  @StringField({ optional: true, max: 100 })
  operation?: string;

  /** The start of a billing period, as it is shown. */
  @CheckedField(checkTime, MAYBE)
  period?: string;

  /** Inclusive. */
  @CheckedField(checkTime, MAYBE)
  from?: string;

  /** Exclusive. */
  @CheckedField(checkTime, MAYBE)
  to?: string;

  /** `true`: one line a charge, without the hold that it ended. */
  @EnumField(['true', 'false'], MAYBE)
  folded?: 'true' | 'false';
}

export function toLedgerFilter(
  accountId: string,
  { key_id, kind, operation, period, from, to, folded }: LedgerQuery,
): LedgerFilter {
  return {
    accountId,
    keyId: toKeyId(key_id),
    kind,
    operation,
    period: toTime(period),
    from: toTime(from),
    to: toTime(to),
    folded: folded === 'true' || undefined,
  };
}

function toKeyId(input: string | undefined): string | undefined {
  if (input === undefined || isUuid(input)) return input;
  const accepted = 'the id of a key';
  const msg = `Input should be ${accepted}`;
  throw invalid('query', { type: 'uuid_parsing', path: ['key_id'], msg, input: input, ctx: { accepted } });
}

export class MoveCreditsBody extends ReasonBody {
  /**
   * `grant`: credits beyond the limit, for this period. `adjustment`: a correction of what was used. `prepaid`: credits of the account
   * that do not end with the period, used behind those of the period.
   */
  @EnumField(CREDIT_KINDS)
  kind: CreditKind;

  /** Positive amounts give credits; an adjustment may take them. */
  @IntegerField({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
  amount: number;

  /** Counts for this key as well; otherwise for the account alone. */
  @StringField({ optional: true, nullable: true, max: 36 })
  key_id?: string | null;

  /** When prepaid credits end; null or left out for never. */
  @CheckedField(checkTime, { optional: true, nullable: true })
  ends_at?: string | null;
}

const REQUESTED_KINDS = ['grant', 'prepaid'] as const;

export class RequestCreditsBody extends ReasonBody {
  /** `grant` if absent. */
  @EnumField(REQUESTED_KINDS, MAYBE)
  kind?: (typeof REQUESTED_KINDS)[number];

  @IntegerField({ min: 1, max: Number.MAX_SAFE_INTEGER })
  amount: number;

  /** Counts for this key as well; otherwise for the account alone. */
  @StringField({ optional: true, nullable: true, max: 36 })
  key_id?: string | null;

  /** When prepaid credits end; null or left out for never. */
  @CheckedField(checkTime, { optional: true, nullable: true })
  ends_at?: string | null;

  /** The line of the ledger that they are requested for: who approves it reads what was charged. */
  @StringField({ optional: true, nullable: true, max: 20 })
  ledger_line_id?: string | null;
}

/** As it is stored for who approves it; nothing for no end. */
export const toEnd = (endsAt: string | null | undefined) =>
  typeof endsAt === 'string' ? { endsAt: toTime(endsAt)!.toISOString() } : {};

export interface LedgerLineResponse extends ReturnType<typeof toLedgerLine> {}

export function toLedgerLine(line: CreditLedgerLine) {
  return {
    id: line.id,
    at: line.createdAt.toISOString(),
    kind: line.kind,
    /** How what is left changes: negative for a charge, positive for a refund or a grant. */
    amount: 0 - line.amount,
    operation: line.operation,
    /** Null for an adjustment of the account alone. */
    key_id: line.keyId,
    request_id: line.requestId,
    /** A member of staff, or `deadline`; null for the key. */
    actor: line.actor,
    /** The end user that the request named; null for none. */
    end_user: line.endUser,
    period_start: line.periodStart.toISOString(),
  };
}

export interface AccountCreditsResponse extends ReturnType<typeof toAccountCredits> {
  receipt?: ChangeReceipt | null;
}

export function toAccountCredits({
  approvalAbove,
  credits,
  keys,
  periods,
  prepaid,
  archived,
  reconciliation,
}: AccountCredits) {
  return {
    account_id: credits.subjectId,
    /** A grant of more credits than this waits for a second person; null for never. */
    approval_above: approvalAbove,
    ...toCredits(credits),
    prepaid: {
      /** Used behind the credits of the period, and a part of `remaining`. */
      left: credits.prepaid,
      /** What charges of this period took: a part of `granted`. */
      used: credits.prepaidUsed,
      /** Those that charges take of in their order, the one that ends first before the others; then at most 100 others, the newest first. */
      grants: prepaid.map(toPrepaidGrant),
    },
    /** Those that have used most. */
    keys: keys.map((key: KeyCredits) => ({ key_id: key.subjectId, name: key.name, ...toCredits(key) })),
    past_periods: periods.map(toPastPeriod),
    /** Lines that are in files instead of the ledger, up to those of the period that began then; null for none. */
    archived: archived && {
      lines: archived.lines,
      newest_period_start: archived.newestPeriod.toISOString(),
    },
    /**
     * The proof: for this account, its keys and all periods, the ledger adds up to what is shown here. Null when it is too long to
     * be added up within the time of a request; `greenroom doctor` does it.
     */
    reconciliation: reconciliation && toReconciliation(reconciliation),
  };
}

function toReconciliation({ checked, breaches }: NonNullable<AccountCredits['reconciliation']>) {
  return { balanced: breaches.length === 0, checked, breaches: breaches.map(toBreach) };
}

export interface CreditsResponse extends ReturnType<typeof toCredits> {}

function toCredits(credits: CurrentCredits) {
  const { creditLimit, granted, used, held, periodStart, periodEnd } = credits;
  return {
    /** Per billing period; null for no separate limit. */
    credit_limit: creditLimit,
    granted,
    /** With what is held. */
    used,
    held,
    remaining: shownCreditsLeft(credits),
    period_start: periodStart.toISOString(),
    period_end: periodEnd.toISOString(),
  };
}

export interface PrepaidGrantResponse extends ReturnType<typeof toPrepaidGrant> {}

function toPrepaidGrant(grant: PrepaidGrant) {
  return {
    ...choose(grant, 'id', 'amount', 'remaining', 'revoked', 'reason', 'grantedBy', 'revokedBy'),
    /** `live`: charges can take what remains. */
    status: grant.isLive ? 'live' : grant.revokedAt ? 'revoked' : grant.remaining > 0 ? 'ended' : 'used_up',
    /** Null for no end. */
    ends_at: grant.endsAt?.toISOString() ?? null,
    granted_at: grant.createdAt.toISOString(),
    revoked_at: grant.revokedAt?.toISOString() ?? null,
  };
}

function toPastPeriod({ periodStart, creditLimit, granted, used, prepaidUsed }: CreditBalanceHistory) {
  return {
    period_start: periodStart.toISOString(),
    credit_limit: creditLimit,
    granted,
    used,
    /** What charges took of prepaid grants: a part of `granted`. */
    prepaid_used: prepaidUsed,
  };
}

export interface BreachResponse extends ReturnType<typeof toBreach> {}

function toBreach(breach: ReconciliationBreach) {
  return {
    ...choose(breach, 'subject', 'subjectId', 'periodStart'),
    problems: breach.problems as string[],
    used: { ledger: breach.ledgerUsed, balance: breach.balanceUsed },
    granted: { ledger: breach.ledgerGranted, balance: breach.balanceGranted },
    held: { ledger: breach.ledgerHeld, balance: breach.held },
    over_limit: breach.overLimit,
  };
}
