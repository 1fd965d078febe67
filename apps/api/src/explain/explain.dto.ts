import { checkExternalId } from '@app/domain/common/tags';
import { checkOperation } from '@app/domain/credits/operation';
import { BooleanField, CheckedField, EnumField, IntegerField, StringField } from '../http/fields';
import type { Explanation } from './explain.service';
import type { ExplainedGate } from '@app/gates/gates';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

class ExplainedRequestBody {
  /** Of the client, as it reaches us. */
  @StringField({ max: 100 })
  address: string;

  @EnumField(METHODS)
  method: string;

  @StringField({ min: 1, max: 2_000 })
  path: string;
}

export class ExplainBody extends ExplainedRequestBody {
  /** Credits that the request would cost. */
  @IntegerField({ optional: true, min: 0, max: Number.MAX_SAFE_INTEGER })
  cost?: number;

  /** What they would be charged for, which some budgets depend on; by default the permission that the request needs. */
  @CheckedField(checkOperation, { optional: true })
  operation?: string;

  /** Which user of the customer they would be for, as `x-end-user` names it. */
  @CheckedField(checkExternalId, { optional: true })
  end_user?: string;

  /** The model that the request names; by default none is known. */
  @StringField({ min: 1, max: 100, optional: true })
  model_id?: string;

  /** Which of the key's secrets is presented; by default the newest. */
  @IntegerField({ optional: true, min: 1, max: 1_000_000 })
  secret_number?: number;
}

export class ExplainProgramBody extends ExplainedRequestBody {
  /** Whether the secret before the newest is presented. */
  @BooleanField({ optional: true })
  old_secret?: boolean;
}

export interface ExplainResponse {
  allowed: boolean;
  decided_by: ExplainedGate['gate'] | null;
  route: string | null;
  gates: ExplainedGate[];
}

export function toExplainResponse({ decidedBy, ...explanation }: Explanation): ExplainResponse {
  return { ...explanation, decided_by: decidedBy };
}
