import { checkTime, withSchema, type Check } from '@app/domain/common/field-checks';
import { toTime } from '@app/domain/common/times';
import { STAFF_VOICE_ORDERS, type StaffVoiceFilter } from '@app/database/voices/staff-voice-filter';
import { REASON_CODES, type ReasonCode } from '@app/domain/reviews/recording-reasons';
import {
  labellingStatusOf,
  RECORDING_GRADES,
  REVIEW_STATES,
  type LabellingStatus,
  type RecordingGrade,
  type ReviewState,
} from '@app/domain/reviews/review-state';
import { SAFETY_STATES, type SafetyState } from '@app/domain/voices/voice-safety';
import { checkId } from '../api-keys/api-key-query.dto';
import { checkTagFilter, toTags } from '../http/account-filters';
import { CheckedField, EnumField, StringField } from '../http/fields';
import { CursorField, LimitField } from '../http/pagination';
import { sortNames } from '../http/sorted-list';
import { invalid } from '../http/wire-problem';

/** Voices in one request: as many as fit into an address. */
const MAX_IDS = 100;
const VOICE_IDS = /^[\w-]{1,64}(,[\w-]{1,64})*$/;

const checkIds: Check = withSchema({ type: 'string', pattern: VOICE_IDS.source }, (value) => {
  if (typeof value === 'string' && VOICE_IDS.test(value) && value.split(',').length <= MAX_IDS) return [];
  const expected = `1 to ${MAX_IDS} ids of voices with commas between them`;
  return [{ type: 'voice_ids', msg: `Input should be ${expected}`, ctx: { expected } }];
});

/** Filters of a list of voices; all must hold. */
export class VoiceFilterQuery {
  /** Ids with commas between them. */
  @CheckedField(checkIds, { optional: true })
  ids?: string;

  /** Id, or part of the name. */
  @StringField({ optional: true, max: 100 })
  search?: string;

  @CheckedField(checkId, { optional: true })
  account_id?: string;

  /** State of the review. */
  @EnumField(REVIEW_STATES, { optional: true })
  status?: ReviewState;

  @EnumField(['in_review', 'review_complete'], { optional: true })
  labelling_status?: LabellingStatus;

  @EnumField(RECORDING_GRADES, { optional: true })
  grade?: RecordingGrade;

  @EnumField([...REASON_CODES, 'manual', 'within_targets'], { optional: true })
  reason_code?: ReasonCode | 'manual' | 'within_targets';

  /** Id of the rules that the latest verdict went by, also of rules that were removed. */
  @StringField({ optional: true, max: 100 })
  ruleset?: string;

  /** What staff have decided against it. */
  @EnumField([...SAFETY_STATES, 'none'], { optional: true })
  safety?: SafetyState | 'none';

  /** Voices with all of these tags, with commas between them. */
  @CheckedField(checkTagFilter, { optional: true })
  tag?: string;

  /** Inclusive. */
  @CheckedField(checkTime, { optional: true })
  created_since?: string;

  /** Exclusive. */
  @CheckedField(checkTime, { optional: true })
  created_before?: string;
}

export class VoiceListQuery extends VoiceFilterQuery {
  @LimitField()
  limit?: string;

  @CursorField()
  cursor?: string;

  @EnumField(sortNames(STAFF_VOICE_ORDERS), { optional: true })
  sort: string = '-created_at';
}

export function toVoiceFilter(query: VoiceFilterQuery): StaffVoiceFilter {
  return {
    search: query.search?.trim() || undefined,
    ids: query.ids?.split(','),
    accountId: query.account_id,
    states: toStates(query),
    grade: query.grade,
    reasonCode: query.reason_code,
    ruleset: query.ruleset,
    safety: query.safety,
    tags: toTags(query.tag),
    createdSince: toTime(query.created_since),
    createdBefore: toTime(query.created_before),
  };
}

/** The same for a change of everything that matches: it must say what that is. */
export function toNarrowVoiceFilter(query: VoiceFilterQuery): StaffVoiceFilter {
  const filter = toVoiceFilter(query);
  if (Object.values(filter).some((value) => value !== undefined)) return filter;
  const accepted = 'at least one condition, such as account_id, grade or ruleset';
  const msg = `Input should have ${accepted}`;
  throw invalid('query', { type: 'missing', path: ['filter'], msg, input: null, ctx: { accepted } });
}

function toStates({ status, labelling_status }: VoiceFilterQuery): readonly ReviewState[] | undefined {
  if (status === undefined && labelling_status === undefined) return undefined;
  return REVIEW_STATES.filter(
    (state) =>
      (status ?? state) === state &&
      (labelling_status ?? labellingStatusOf(state)) === labellingStatusOf(state),
  );
}
