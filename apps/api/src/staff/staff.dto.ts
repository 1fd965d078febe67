import { describeRelease } from '@app/database/schema/release';
import type { StaffFilter } from '@app/database/staff/staff.repository';
import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { permissionsOf, STAFF_ROLES, type StaffRole } from '@app/domain/staff/staff-permissions';
import { choose } from '../http/choose';
import { BooleanField, EnumField, StringField } from '../http/fields';
import { PageQuery } from '../http/pagination';
import { ReasonBody } from '../http/reason';
import type { ListedMember } from './staff-search.service';
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

/** With the password, which is shown this once. */
export interface NewStaffResponse extends StaffResponse {
  one_time_password: string;
}

export interface StaffResponse extends ReturnType<typeof toStaffResponse> {}

export function toStaffResponse(member: StaffMember) {
  return {
    ...choose(member, 'id', 'email', 'name', 'role'),
    disabled: member.disabledAt !== null,
    disabled_at: member.disabledAt?.toISOString() ?? null,
    /** Whether the sign-in with a password needs a code. */
    second_factor: member.twoFactorEnabled,
    passkeys: member.passkeys,
    /** Until when a temporary password works; null when it has no end, or the person has chosen their own. */
    one_time_password_until: member.oneTimePasswordUntil?.toISOString() ?? null,
    ...choose(member, 'createdAt', 'updatedAt', 'version'),
  };
}

export interface ListedStaffResponse extends ReturnType<typeof toListedStaff> {}

export function toListedStaff({ member, lastSignInAt }: ListedMember) {
  return {
    ...toStaffResponse(member),
    /** Null for never. */
    last_sign_in_at: lastSignInAt?.toISOString() ?? null,
  };
}

export interface MeResponse extends ReturnType<typeof toMeResponse> {}

export function toMeResponse(staff: Staff) {
  return {
    ...choose(staff, 'id', 'email', 'name', 'role'),
    permissions: permissionsOf(staff.role),
    second_factor: staff.twoFactorEnabled,
    must_change_password: staff.mustChangePassword,
    /** Whether the role requires a second factor. Without one, nothing else can be done before. */
    second_factor_required: staff.secondFactorRequired,
    passkeys: staff.passkeys,
    /** Whether one of them was used in this session: then it has the second factor that the role may require. */
    passkey_used: staff.withPasskey,
    /** The release that responds, as people read it: its version, commit and newest migration. */
    release: describeRelease(),
  };
}
