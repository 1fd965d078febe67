import { DAY_MS } from '@app/domain/common/utc-days';
import type { AccountSafety, SafetyOverview } from '@app/administration/key-safety/key-safety.service';
import type { ListedFinding } from '@app/database/key-safety/key-finding.repository';
import { SAFETY_ORDERS, type ScoredAccount } from '@app/database/key-safety/key-safety.repository';
import { describeFinding, titleOf } from '@app/domain/keys/key-findings';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { checkManager } from '../http/account-filters';
import { checkTime } from '../http/common-checks';
import { CheckedField, EnumField } from '../http/fields';
import { PageQuery, type Page } from '../http/pagination';
import { ReasonBody } from '../http/reason';
import { sortNames } from '../http/sorted-list';

/** An acceptance must end, so that someone looks again. */
const MAX_ACCEPTED_DAYS = 366;

export class SafetyQuery {
  /** The account manager: an id, `me`, or `none` for accounts without one. */
  @CheckedField(checkManager, { optional: true })
  manager?: string;
}

export class SafetyListQuery extends PageQuery {
  /** The account manager: an id, `me`, or `none` for accounts without one. */
  @CheckedField(checkManager, { optional: true })
  manager?: string;

  @EnumField(sortNames(SAFETY_ORDERS), { optional: true })
  sort: string = 'score';
}

export class AcceptFindingBody extends ReasonBody {
  /** When the finding is open again. */
  @CheckedField(checkTime)
  until: string;
}

/** @throws InvalidInput for a time that is over or too far away */
export function toUntil(text: string, now: Date): Date {
  const until = new Date(text);
  const latest = new Date(now.getTime() + MAX_ACCEPTED_DAYS * DAY_MS);
  if (until > now && until <= latest) return until;
  const accepted = `a time after now and at most ${MAX_ACCEPTED_DAYS} days from now`;
  const msg = `Input should be ${accepted}`;
  throw new InvalidInput([{ type: 'value_error', path: ['until'], msg, input: text, ctx: { accepted } }]);
}

export type ScoredAccountPageResponse = Page<ScoredAccountResponse>;

export interface SafetyResponse extends ReturnType<typeof toSafetyResponse> {}

export function toSafetyResponse({ lookedAt, cards }: SafetyOverview) {
  return {
    /** When every key had last been looked at; null before the first time. */
    looked_at: lookedAt?.toISOString() ?? null,
    /** Every kind of finding, worst first. */
    cards: cards.map(({ kind, open, accepted }) => ({
      kind,
      title: titleOf(kind),
      /** Enabled keys with the finding: those that `GET /admin/api-keys?finding=` lists. */
      open,
      /** Further keys whose finding is accepted for now. */
      accepted,
    })),
  };
}

export interface AccountSafetyResponse extends ReturnType<typeof toAccountSafetyResponse> {}

export function toAccountSafetyResponse(safety: AccountSafety) {
  const { score, days, from, to } = safety;
  return {
    ...toSafetyResponse(safety),
    /** Enabled keys. */
    keys: score.keys,
    findings: score.findings,
    /** 0 to 100: the mean of its enabled keys, each of which loses points with each open finding; null without any. */
    score: score.score,
    /** The first and the last of the days, in UTC. */
    from,
    to,
    /** Scores by day, oldest first; days without one are left out. */
    days: days.map(({ day, keys, findings, score: ofDay }) => ({ day, keys, findings, score: ofDay })),
  };
}

export interface ScoredAccountResponse extends ReturnType<typeof toScoredAccountResponse> {}

export function toScoredAccountResponse(scored: ScoredAccount) {
  const { accountId: id, accountName: name, tier, keys, findings, score } = scored;
  return {
    account: { id, name, tier },
    keys,
    findings,
    score,
  };
}

export interface FindingResponse extends ReturnType<typeof toFindingResponse> {}

export function toFindingResponse({ finding, acceptance }: ListedFinding) {
  const { kind, detail, since } = finding;
  return {
    kind,
    title: titleOf(kind),
    /** What was measured, in a sentence. */
    text: describeFinding(kind, detail),
    since: since.toISOString(),
    /** Null while it is open. */
    accepted: acceptance && {
      until: acceptance.until.toISOString(),
      reason: acceptance.reason,
      by: acceptance.acceptedBy,
      at: acceptance.acceptedAt.toISOString(),
    },
  };
}
