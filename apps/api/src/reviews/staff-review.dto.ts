import { RULESET_IDS, type RulesetId } from '@app/domain/reviews/recording-rulesets';
import { RECORDING_GRADES, type RecordingGrade } from '@app/domain/reviews/review-state';
import { choose } from '../http/choose';
import { BooleanField, EnumField, StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import type { ComparedRulesets } from './ruleset-comparison.service';
import { VoiceFilterQuery } from '../voices/staff-voice-query.dto';

export class ReviewAgainBody extends ReasonBody {
  /** Also when a person has graded the voice. */
  @BooleanField({ optional: true })
  force: boolean = false;
}

export class OverrideGradeBody extends ReasonBody {
  @EnumField(RECORDING_GRADES)
  grade: RecordingGrade;

  /** What the customer reads in `recording_quality_reason`. */
  @StringField({ optional: true, max: 200 })
  public_reason?: string;
}

export class BulkReviewQuery extends VoiceFilterQuery {
  /** Also voices that a person has graded. */
  @EnumField(['true', 'false'], { optional: true })
  force?: 'true' | 'false';
}

export class ConfirmedBody extends ReasonBody {
  /** The count that was shown. */
  @StringField({ min: 1, max: 20 })
  confirm: string;
}

export class CompareQuery extends VoiceFilterQuery {
  /** The rules that reviews go by, unless others are named. */
  @EnumField(RULESET_IDS, { optional: true })
  from?: RulesetId;

  @EnumField(RULESET_IDS)
  to: RulesetId;
}

const NUMBER = new Intl.NumberFormat('en-US');

export interface ComparisonResponse extends ReturnType<typeof toComparisonResponse> {}

export function toComparisonResponse({ comparison, examples, ...rest }: ComparedRulesets) {
  const { compared, changed, better, worse, table } = comparison;
  return {
    summary: `${NUMBER.format(changed)} of ${NUMBER.format(compared)} would change.`,
    compared,
    changed,
    better,
    worse,
    ...choose(rest, 'overridden', 'unmeasured'),
    partial: rest.isPartial,
    table: table.map(({ from, to, count }) => ({ from, to, count })),
    examples: examples.map(({ id, ...change }) => ({ voice_id: id, ...change })),
  };
}
