import type { RolePolicy } from '@app/database/staff/role-policy.entity';
import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { BooleanField, StringField } from '../http/fields';

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
  updated_at: string;
  version: number;
}

export function toRolePolicyResponse(policy: RolePolicy): RolePolicyResponse {
  return {
    role: policy.role,
    second_factor_required: policy.secondFactorRequired,
    updated_at: policy.updatedAt.toISOString(),
    version: policy.version,
  };
}
