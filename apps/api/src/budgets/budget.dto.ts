import type {
  BudgetSettings,
  TriedBudget,
  UndoableBudget,
} from '@app/administration/budgets/budgets.service';
import type { CurrentBudget } from '@app/database/credits/budget.repository';
import { checkTimeZone } from '@app/domain/alerts/quiet-hours';
import { grouped } from '@app/domain/common/sentences';
import { UNDONE_OF_BUDGETS } from '@app/domain/audit/undone-settings';
import { checkTag } from '@app/domain/common/tags';
import { canonicalOperations, checkOperations } from '@app/domain/credits/operation';
import {
  BUDGET_SUBJECTS,
  BUDGET_WINDOWS,
  budgetLeft,
  budgetSubject,
  type BudgetDryRun,
  type BudgetSubject,
  type BudgetSubjectKind,
  type BudgetWindow,
} from '@app/domain/credits/budget';
import { choose } from '../http/choose';
import { CheckedField, EnumField, IntegerField, StringField } from '../http/fields';
import { REASON } from '../http/reason';
import { RevertAtField, toSettingUndos, type SettingUndo } from '../http/revert-at';
import { invalid } from '../http/wire-problem';

const NAME = { min: 1, max: 100 };
const AMOUNT = { min: 1, max: Number.MAX_SAFE_INTEGER };

/** What a budget counts, and how much it lets pass. */
export class DryRunBudgetBody {
  /** Credits for each window. */
  @IntegerField(AMOUNT)
  amount: number;

  /** When the budget renews: each day, each Monday, each first of the month, or with the account's billing period. */
  @EnumField(BUDGET_WINDOWS)
  window: BudgetWindow;

  /** By whose clocks days, weeks and months begin; UTC if absent. */
  @CheckedField(checkTimeZone, { optional: true })
  time_zone?: string;

  /** Whose charges count: those of this key and of the keys that it creates; without key_id and tag, all of the account. */
  @StringField({ min: 1, max: 100, optional: true })
  key_id?: string;

  /** Whose charges count: those of the keys that have this tag at the time of the charge, and of the keys that they create. */
  @CheckedField(checkTag, { optional: true })
  tag?: string;

  /** `end_user`: each end user that charges name has the amount separately. The others are what key_id and tag say, and may be absent. */
  @EnumField(BUDGET_SUBJECTS, { optional: true })
  subject?: BudgetSubjectKind;

  /** Only charges for these operations count, as the usage names them, such as text_to_speech; all without it. */
  @CheckedField(checkOperations, { optional: true })
  operations?: string[];
}

export class CreateBudgetBody extends DryRunBudgetBody {
  /** Another one than that of each other budget of the account. */
  @StringField(NAME)
  name: string;

  @StringField(REASON)
  reason: string;
}

export class EditBudgetBody {
  @StringField({ ...NAME, optional: true })
  name?: string;

  /** From the current window on. */
  @IntegerField({ ...AMOUNT, optional: true })
  amount?: number;

  /** When the amount that this sets is reverted, at most 366 days away: for an increase that ends. */
  @RevertAtField()
  revert_at?: string;

  @StringField(REASON)
  reason: string;
}

export function toBudgetSettings(body: CreateBudgetBody): BudgetSettings {
  return { name: body.name, ...toTriedBudget(body) };
}

export function toTriedBudget(body: DryRunBudgetBody): TriedBudget {
  const { amount, window, time_zone: timeZone = 'UTC' } = body;
  return { amount, window, timeZone, operations: canonicalOperations(body.operations), ...subjectOf(body) };
}

function subjectOf({ key_id: keyId, tag, subject }: DryRunBudgetBody): BudgetSubject {
  if (keyId !== undefined && tag !== undefined)
    throw invalid('body', {
      type: 'value_error',
      path: ['tag'],
      msg: 'A budget is for a key or for a tag: send key_id or tag, or neither for the account',
      input: tag,
    });
  const named = budgetSubject(keyId ?? null, tag ?? null, subject);
  if (subject !== undefined && subject !== named.subject)
    throw invalid('body', {
      type: 'value_error',
      path: ['subject'],
      msg: `Input should be '${named.subject}', because ${reasonFor(named)}`,
      input: subject,
    });
  return named;
}

function reasonFor({ keyId, tag }: BudgetSubject): string {
  if (keyId !== null) return 'key_id is sent';
  return tag === null ? 'neither key_id nor tag is sent' : 'tag is sent';
}

export interface BudgetResponse extends ReturnType<typeof toBudgetResponse> {}

export interface BudgetUndoResponse extends SettingUndo<(typeof UNDONE_OF_BUDGETS)[number]> {}

export function toBudgetResponse({ undo, ...budget }: UndoableBudget) {
  const [lastChange]: BudgetUndoResponse[] = toSettingUndos(undo ? [undo] : [], UNDONE_OF_BUDGETS);
  return {
    ...choose(budget, 'id', 'name', 'subject', 'keyId', 'tag'),
    /** The only operations whose charges count; null for all. */
    operations: budget.operations,
    /** Credits for each window. */
    amount: budget.amount,
    ...choose(budget, 'window', 'timeZone'),
    /** In the current window, with what is held; by all end users together, where each has the amount separately. */
    used: budget.used,
    held: budget.held,
    /** Null where each end user has the amount separately. */
    left: isShared(budget) ? Math.max(0, budgetLeft(budget)) : null,
    window_start: budget.windowStart.toISOString(),
    renews_at: budget.windowEnd.toISOString(),
    /** That more is used than the amount, and what follows; null otherwise. */
    warning: isShared(budget) && budgetLeft(budget) < 0 ? warningOf(budget) : null,
    /** What the amount was before its last change, and when it is reverted; null for none. */
    undo: lastChange ?? null,
    created_at: budget.createdAt.toISOString(),
    /** For the `If-Match` of a change. */
    version: budget.version,
  };
}

const isShared = ({ subject }: CurrentBudget) => subject !== 'end_user';

/** What a budget would have done, had it been added so many days ago. */
export interface BudgetDryRunResponse extends ReturnType<typeof toDryRunResponse> {}

export function toDryRunResponse({ days, charges, refused, isPartlyArchived }: BudgetDryRun) {
  return {
    days,
    /** Charges that would have counted for it; null when there are too many to read within the time of a request. */
    charges,
    would_refuse: refused,
    /** Whether some charges of these days are in archived months, which were not read. */
    partly_archived: isPartlyArchived,
  };
}

function warningOf({ used, amount, windowEnd }: CurrentBudget): string {
  return `${grouped(used)} credits are used of ${grouped(amount)}: every charge is refused until ${windowEnd.toISOString()}.`;
}
