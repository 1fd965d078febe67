import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { BooleanField, StringField } from '../http/fields';
import type { RoleState } from '@app/administration/staff/role-policies.service';

export class ChangeRolePolicyBody {
  /** Whether members without a second factor must set one up before anything else. */
  @BooleanField()
  second_factor_required: boolean;

  @StringField({ min: 3, max: 500 })
  reason: string;
}

export interface RolePolicyResponse {
  role: StaffRole;
  second_factor_required: boolean;
  /** Members who may sign in. */
  members: number;
  /** Those of them who have no second factor: requiring one leads them to set it up. */
  without_second_factor: number;
  updated_at: string;
  version: number;
}

export function toRolePolicyResponse({
  policy,
  members,
  withoutSecondFactor,
}: RoleState): RolePolicyResponse {
  return {
    role: policy.role,
    second_factor_required: policy.secondFactorRequired,
    members,
    without_second_factor: withoutSecondFactor,
    updated_at: policy.updatedAt.toISOString(),
    version: policy.version,
  };
}
