import { MAX_REASON_LENGTH, MIN_REASON_LENGTH } from '@app/domain/common/reason';
import { StringField } from './fields';

export const REASON = { min: MIN_REASON_LENGTH, max: MAX_REASON_LENGTH };

export class ReasonBody {
  @StringField(REASON)
  reason: string;
}
