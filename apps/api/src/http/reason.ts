import { StringField } from './fields';

export const REASON = { min: 3, max: 500 };

export class ReasonBody {
  @StringField(REASON)
  reason: string;
}
