import type { ReviewAppeal } from '@app/database/voices/review-appeal.entity';
import { StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';

const TEXT = { min: 1, max: 1_000 };

export class AppealBody {
  /** Why the grade is not right. */
  @StringField(TEXT)
  reason: string;
}

export class AppealForCustomerBody extends ReasonBody {
  /** What the customer says. */
  @StringField(TEXT)
  text: string;
}

/** An appeal against the grade of a voice. */
export interface AppealResponse extends ReturnType<typeof toAppealResponse> {}

export function toAppealResponse(appeal: ReviewAppeal) {
  return {
    appeal_id: appeal.id,
    voice_id: appeal.voiceId,
    status: appeal.answeredAt ? ('answered' as const) : ('open' as const),
    /** What was said against the grade. */
    reason: appeal.text,
    /** The grade that was appealed. */
    appealed_recording_quality: appeal.grade,
    created_at_unix: toUnix(appeal.createdAt),
    /** Null until a person has answered. */
    outcome: appeal.outcome,
    answer: appeal.answer,
    /** The grade that the voice got with the answer. */
    recording_quality: appeal.answeredGrade,
    answered_at_unix: appeal.answeredAt && toUnix(appeal.answeredAt),
  };
}

function toUnix(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}
