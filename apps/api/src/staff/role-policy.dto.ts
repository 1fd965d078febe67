import { choose } from '../http/choose';
import { BooleanField, StringField } from '../http/fields';
import type { RoleState } from '@app/administration/staff/role-policies.service';

export class ChangeRolePolicyBody {
  /** Whether members without a second factor must set one up before anything else. */
  @BooleanField()
  second_factor_required: boolean;

  @StringField({ min: 3, max: 500 })
  reason: string;
}

export interface RolePolicyResponse extends ReturnType<typeof toRolePolicyResponse> {}

export function toRolePolicyResponse({ policy, members, withoutSecondFactor }: RoleState) {
  return {
    ...choose(policy, 'role', 'secondFactorRequired'),
    /** Members who may sign in. */
    members,
    /** Those of them who have no second factor: requiring one leads them to set it up. */
    without_second_factor: withoutSecondFactor,
    ...choose(policy, 'updatedAt', 'version'),
  };
}
