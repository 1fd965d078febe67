import { describeRelease } from '@app/database/schema/release';
import type { StaffFilter } from '@app/database/staff/staff.repository';
import type { StaffMember } from '@app/database/staff/staff-member.entity';
import {
  permissionsOf,
  STAFF_ROLES,
  type StaffPermission,
  type StaffRole,
} from '@app/domain/staff/staff-permissions';
import { BooleanField, EnumField, StringField } from '../http/fields';
import { PageQuery } from '../http/pagination';
import { ReasonBody } from '../http/reason';
import type { Staff } from '@app/domain/staff/staff';

const EMAIL = { min: 3, max: 254 };

export class StaffQuery extends PageQuery {
  @EnumField(STAFF_ROLES, { optional: true })
  role?: StaffRole;

  @EnumField(['true', 'false'], { optional: true })
  disabled?: 'true' | 'false';

  /** Part of the name or of the e-mail address. */
  @StringField({ optional: true, max: 100 })
  search?: string;
}

export function toStaffFilter({ role, disabled, search }: StaffQuery): StaffFilter {
  return { role, disabled: disabled === undefined ? undefined : disabled === 'true', search };
}

export class AddStaffBody extends ReasonBody {
  @StringField(EMAIL)
  email: string;

  @StringField({ optional: true, min: 1, max: 100 })
  name?: string;

  @EnumField(STAFF_ROLES)
  role: StaffRole;
}

export class ChangeStaffBody extends ReasonBody {
  @EnumField(STAFF_ROLES, { optional: true })
  role?: StaffRole;

  @BooleanField({ optional: true })
  disabled?: boolean;

  @StringField({ optional: true, min: 1, max: 100 })
  name?: string;
}

export interface StaffResponse {
  id: string;
  email: string;
  name: string;
  role: StaffRole;
  disabled: boolean;
  disabled_at: string | null;
  /** Whether the sign-in with a password needs a code. */
  second_factor: boolean;
  passkeys: number;
  /** Until when a temporary password works; null when it has no end, or the person has chosen their own. */
  one_time_password_until: string | null;
  created_at: string;
  updated_at: string;
  version: number;
}

/** With the password, which is shown this once. */
export interface NewStaffResponse extends StaffResponse {
  one_time_password: string;
}

export interface MeResponse {
  id: string;
  email: string;
  name: string;
  role: StaffRole;
  permissions: StaffPermission[];
  second_factor: boolean;
  must_change_password: boolean;
  /** Whether the role requires a second factor. Without one, nothing else can be done before. */
  second_factor_required: boolean;
  passkeys: number;
  /** Whether one of them was used in this session: then it has the second factor that the role may require. */
  passkey_used: boolean;
  /** The release that responds, as people read it: its version, commit and newest migration. */
  release: string;
}

export function toStaffResponse(member: StaffMember): StaffResponse {
  return {
    id: member.id,
    email: member.email,
    name: member.name,
    role: member.role,
    disabled: member.disabledAt !== null,
    disabled_at: member.disabledAt?.toISOString() ?? null,
    second_factor: member.twoFactorEnabled,
    passkeys: member.passkeys,
    one_time_password_until: member.oneTimePasswordUntil?.toISOString() ?? null,
    created_at: member.createdAt.toISOString(),
    updated_at: member.updatedAt.toISOString(),
    version: member.version,
  };
}

export function toMeResponse(staff: Staff): MeResponse {
  return {
    id: staff.id,
    email: staff.email,
    name: staff.name,
    role: staff.role,
    permissions: permissionsOf(staff.role),
    second_factor: staff.twoFactorEnabled,
    must_change_password: staff.mustChangePassword,
    second_factor_required: staff.secondFactorRequired,
    passkeys: staff.passkeys,
    passkey_used: staff.withPasskey,
    release: describeRelease(),
  };
}
