import type { ReasonCode } from '@app/domain/reviews/recording-reasons';
import type { RecordingGrade, ReviewState } from '@app/domain/reviews/review-state';
import type { SafetyState } from '@app/domain/voices/voice-safety';
import { hasTags, withinBounds } from '../accounts/account-conditions';
import { caselessPattern } from '../common/caseless';
import { Conditions, namePart } from '../common/conditions';
import { FAILED_SQL } from '../common/review-state-sql';

/** Filters of a list of voices. All must hold. */
export interface StaffVoiceFilter {
  /** Id, or part of the name. */
  search?: string;
  /** One of these. */
  ids?: string[];
  accountId?: string;
  /** Of an account within the bounds of this management credential. */
  withinCredential?: string;
  states?: readonly ReviewState[];
  grade?: RecordingGrade;
  reasonCode?: ReasonCode | 'manual' | 'within_targets';
  /** Rules that the latest verdict went by. */
  ruleset?: string;
  /** Has all of these tags. */
  tags?: string[];
  createdSince?: Date;
  createdBefore?: Date;
  /** `none` for voices that staff have nothing against. */
  safety?: SafetyState | 'none';
  /** Part of the cause of the last failure; `…` stands for anything. */
  causePart?: string;
  /** Id of the group of the cause of the last failure, as `StaffVoiceRepository.listCauses` has it. */
  causeGroup?: string;
}

/** The orders of a list, by name; each in both directions. */
export const STAFF_VOICE_ORDERS = {
  created_at: { value: 'v.created_at', type: 'timestamptz' },
  name: { value: 'lower(v.name) COLLATE "C"', type: 'text' },
  reviewed_at: { value: 'v.review_touched_at', type: 'timestamptz' },
} as const;

export type StaffVoiceOrder = keyof typeof STAFF_VOICE_ORDERS;

/** Why the review of the voice `v` last failed. */
export const LAST_FAILURE = `(SELECT e.cause FROM review_event e WHERE e.voice_id = v.id
  AND e.to_state IN ${FAILED_SQL} ORDER BY e.id DESC LIMIT 1)`;

/** The first line of a cause. */
const firstLine = (cause: string) => `split_part(coalesce(${cause}, ''), E'\\n', 1)`;

/** The first line of a cause with `…` for each word with a digit (ids, ports, paths): what groups causes. */
const alike = (cause: string) => `regexp_replace(${firstLine(cause)}, '\\S*\\d\\S*', '…', 'g')`;

/** The id of the group of a cause. */
const groupOf = (cause: string) => `left(encode(sha256(convert_to(${alike(cause)}, 'UTF8')), 'hex'), 32)`;

/** SQL of the parts that group the causes of failures. */
export const CAUSES = { firstLine, alike, groupOf };

const LATEST_RULESET = `(SELECT r.ruleset FROM review r WHERE r.voice_id = v.id ORDER BY r.generation DESC LIMIT 1)`;

/** A pattern of `~` for texts with these words and any text in place of each `…`. */
function containing(part: string): string {
  return part.split('…').map(caselessPattern).join('.*');
}

/** The conditions that the voice `v` matches a filter. */
export function voiceConditions(filter: StaffVoiceFilter, values?: unknown[]): Conditions {
  const where = new Conditions(values);
  const { search, causePart } = filter;
  if (search !== undefined)
    where.add(`(v.id = ${where.value(search)} OR ${namePart('v.name', search, where)})`);
  where.ifPresent(filter.ids, (value) => `v.id = ANY (${value}::text[])`);
  where.ifPresent(filter.accountId, (value) => `v.account_id = ${value}`);
  where.ifPresent(
    filter.withinCredential,
    (value) => `v.account_id IN (SELECT w.id FROM account w WHERE ${withinBounds('w', value)})`,
  );
  where.ifPresent(filter.states, (value) => `v.review_state = ANY (${value})`);
  where.ifPresent(filter.grade, (value) => `v.recording_quality = ${value}`);
  where.ifPresent(
    filter.reasonCode,
    (value) => `v.recording_quality_reason ~ ('(^|; )' || ${value} || '(=|: |$)')`,
  );
  where.ifPresent(filter.ruleset, (value) => `${LATEST_RULESET} = ${value}`);
  if (filter.safety === 'none') where.add('v.safety_state IS NULL');
  else where.ifPresent(filter.safety, (value) => `v.safety_state = ${value}`);
  where.ifPresent(filter.tags, (value) => hasTags('v.tags', value));
  where.ifPresent(filter.createdSince, (value) => `v.created_at >= ${value}`);
  where.ifPresent(filter.createdBefore, (value) => `v.created_at < ${value}`);
  where.ifPresent(filter.causeGroup, (value) => `${groupOf(LAST_FAILURE)} = ${value}`);
  if (causePart !== undefined)
    where.add(`plain_text(${LAST_FAILURE}) ~ ${where.value(containing(causePart))}`);
  return where;
}
