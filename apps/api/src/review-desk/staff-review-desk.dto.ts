import {
  DESK_STATES,
  type DeskFilter,
  type DeskItem,
  type DeskSummary,
  type StaffName,
} from '@app/database/reviews/review-item.repository';
import type { DeskDecision } from '@app/database/reviews/review-item.repository';
import type { Tier } from '@app/domain/accounts/tiers';
import { DESK_REASONS, type DeskReason } from '@app/domain/reviews/desk-reasons';
import { explainReasons, type ExplainedReason } from '@app/domain/reviews/recording-reasons';
import { RECORDING_GRADES, type RecordingGrade, type ReviewState } from '@app/domain/reviews/review-state';
import { checkList } from '@app/domain/common/field-checks';
import type { Staff } from '@app/domain/staff/staff';
import { checkId } from '../api-keys/api-key-query.dto';
import { BooleanField, CheckedField, EnumField, IntegerField, StringField } from '../http/fields';
import { PageQuery } from '../http/pagination';
import { REASON, ReasonBody } from '../http/reason';
import { planVersion } from '@app/administration/reviews/review-desk.service';

const WEEK_MINUTES = 7 * 24 * 60;

export class DeskQuery extends PageQuery {
  /** `open`: not decided and not snoozed. `mine`: taken by or assigned to the caller. */
  @EnumField(DESK_STATES, { optional: true })
  state: DeskFilter['state'] = 'open';

  @EnumField(DESK_REASONS, { optional: true })
  reason?: DeskReason;

  @CheckedField(checkId, { optional: true })
  account_id?: string;

  /** Only those past their target. */
  @EnumField(['true', 'false'], { optional: true })
  overdue?: 'true' | 'false';
}

export class SendToDeskBody extends ReasonBody {
  @StringField({ min: 1, max: 100 })
  voice_id: string;
}

export class VisitDeskBody {
  /** The item that is open, if one is. */
  @CheckedField(checkId, { optional: true, nullable: true })
  item_id?: string | null;
}

export class TakeNextBody {
  @EnumField(DESK_REASONS, { optional: true })
  reason?: DeskReason;

  @CheckedField(checkId, { optional: true })
  account_id?: string;
}

export class TakeBody {
  /** Also when another person still has it. */
  @BooleanField({ optional: true })
  take_over: boolean = false;
}

export class SnoozeBody {
  @IntegerField({ min: 1, max: WEEK_MINUTES })
  minutes: number;

  /** What it waits for. */
  @StringField(REASON)
  note: string;
}

export class AssignBody {
  /** Null when it is not assigned. */
  @CheckedField(checkId, { nullable: true })
  staff_id: string | null;
}

export class DecideBody extends ReasonBody {
  /** The grade that the voice has, to confirm it, or another one. */
  @EnumField(RECORDING_GRADES)
  grade: RecordingGrade;

  /** What the customer reads in `recording_quality_reason`. */
  @StringField({ optional: true, max: 200 })
  public_reason?: string;

  /** What the customer reads in response to their appeal; required where there is one. */
  @StringField({ optional: true, max: 500 })
  answer?: string;

  /** Decided without having played the recording: the reason says what it rests on, and it does not count as a listening. */
  @BooleanField({ optional: true })
  unheard: boolean = false;
}

export class DecideManyBody extends ReasonBody {
  @CheckedField(checkList(checkId, { max: 100 }))
  item_ids: string[];

  /** Null when each keeps its own. */
  @EnumField(RECORDING_GRADES, { nullable: true })
  grade: RecordingGrade | null;

  /** What the customers read in `recording_quality_reason`. */
  @StringField({ optional: true, max: 200 })
  public_reason?: string;
}

export interface DecidedTogetherResponse {
  /** The items that were decided, or opened again. */
  item_ids: string[];
}

export function toDeskFilter(query: DeskQuery, staff: Staff): DeskFilter {
  const { state, reason, account_id: accountId, overdue } = query;
  return { state, reason, accountId, overdue: overdue === 'true' || undefined, staffId: staff.id };
}

export interface DeskItemResponse {
  id: string;
  voice: { id: string; name: string };
  account: { id: string; name: string | null; tier: Tier | null };
  status: ReviewState;
  recording_quality: RecordingGrade | null;
  /** The reasons of the grade, for people. */
  grade_reasons: ExplainedReason[];
  score: number | null;
  /** Why a person should listen. */
  reasons: DeskReason[];
  /** A second listening: nothing is shown of grades, scores and who has listened before, until it is decided. */
  blind: boolean;
  note: string | null;
  /** What the customer says against the grade; null when they have not appealed. */
  appeal: { text: string; made_by: string; appealed_grade: RecordingGrade; answer: string | null } | null;
  created_at: string;
  /** The target of its reasons and its account's tier. */
  due_at: string;
  overdue: boolean;
  assigned_to: StaffName | null;
  /** Who has it to themselves now. */
  taken_by: StaffName | null;
  taken_until: string | null;
  snoozed_until: string | null;
  snooze_note: string | null;
  decided_at: string | null;
  decided_by: string | null;
  decision: DeskDecision | null;
  decided_grade: RecordingGrade | null;
  /** Of `assigned_to` and `snoozed_until`: for the `If-Match` of changes to them. */
  version: number;
}

export interface DeskPeopleResponse {
  items: StaffName[];
}

export interface DeskVisitorsResponse {
  items: { id: string; name: string; item_id: string | null }[];
}

export type DeskSummaryResponse = DeskSummary;

type ShownGrade = Pick<DeskItemResponse, 'recording_quality' | 'grade_reasons' | 'score'>;

const UNSEEN: ShownGrade = { recording_quality: null, grade_reasons: [], score: null };

function toGrade(item: DeskItem): ShownGrade {
  return {
    recording_quality: item.grade,
    grade_reasons: explainReasons(item.gradeReason ?? 'within_targets', item.measurements),
    score: item.score,
  };
}

export function toDeskItemResponse(item: DeskItem): DeskItemResponse {
  const isBlind = item.firstListening !== null;
  const graded = isBlind && item.decidedAt === null ? UNSEEN : toGrade(item);
  return {
    id: item.id,
    voice: { id: item.voiceId, name: item.voiceName },
    account: { id: item.accountId, name: item.accountName, tier: item.tier },
    status: item.state,
    ...graded,
    reasons: DESK_REASONS.filter((reason) => item.reasons.includes(reason)),
    blind: isBlind,
    note: item.note,
    appeal: item.appeal && {
      text: item.appeal.text,
      made_by: item.appeal.madeBy,
      appealed_grade: item.appeal.grade,
      answer: item.appeal.answer,
    },
    created_at: item.createdAt.toISOString(),
    due_at: item.dueAt.toISOString(),
    overdue: item.isOverdue,
    assigned_to: item.assignedTo,
    taken_by: item.takenBy,
    taken_until: item.takenUntil?.toISOString() ?? null,
    snoozed_until: item.snoozedUntil?.toISOString() ?? null,
    snooze_note: item.snoozeNote,
    decided_at: item.decidedAt?.toISOString() ?? null,
    decided_by: item.decidedBy,
    decision: item.decision,
    decided_grade: item.decidedGrade,
    version: planVersion(item),
  };
}
