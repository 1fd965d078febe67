import type { AuditAction } from '@app/domain/audit/audit-actions';
import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { randomBase62 } from '@app/domain/common/base62';
import { readSignInAddress } from '@app/domain/common/email-address';
import type { StaffRole } from '@app/domain/staff/staff-permissions';
import { randomBytes, randomUUID } from 'node:crypto';
import { InvalidInput } from '@app/domain/common/invalid-input';

/** A temporary password works this long. */
const ONE_TIME_PASSWORD_HOURS = 72;
/** One for an emergency, where passwords are off. */
export const EMERGENCY_HOURS = 1;
/** 119 random bits. */
const ONE_TIME_PASSWORD_LENGTH = 20;

/** What a member is changed to who has their own password, or none. */
export const OWN_PASSWORD = { mustChangePassword: false, oneTimePasswordUntil: null };

export interface NewStaff {
  email: string;
  name?: string;
  role: StaffRole;
  reason: string;
}

/** What is to change of a member. */
export interface StaffChange {
  role?: StaffRole;
  disabled?: boolean;
  name?: string;
}

export function newPassword(): string {
  return randomBase62(ONE_TIME_PASSWORD_LENGTH, randomBytes);
}

export function oneTimeEnd(hours = ONE_TIME_PASSWORD_HOURS): Date {
  return new Date(Date.now() + hours * 3_600_000);
}

export function toMember({ email, name, role }: NewStaff, oneTimePasswordUntil: Date): StaffMember {
  const now = new Date();
  const address = readSignInAddress(email);
  if (address === null) {
    const accepted = "an e-mail address such as ana@example.com, with a-z, 0-9 and _ ' + - . before the @";
    throw new InvalidInput([
      {
        type: 'value_error',
        path: ['email'],
        msg: `Input should be ${accepted}`,
        input: email,
        ctx: { accepted },
      },
    ]);
  }
  return {
    id: randomUUID(),
    name: name?.trim() || address.split('@')[0]!,
    email: address,
    emailVerified: true,
    image: null,
    createdAt: now,
    updatedAt: now,
    twoFactorEnabled: false,
    passkeys: 0,
    role,
    disabledAt: null,
    mustChangePassword: true,
    oneTimePasswordUntil,
    emergencyUntil: null,
    version: 1,
  };
}

/** What differs, as it stands in the audit log. */
export function changesOf(member: StaffMember, { role, disabled, name }: StaffChange) {
  const current = { role: member.role, disabled: member.disabledAt !== null, name: member.name };
  const requested = { role, disabled, name };
  const changed = (['role', 'disabled', 'name'] as const).filter(
    (field) => requested[field] !== undefined && requested[field] !== current[field],
  );
  const pick = (from: object) =>
    Object.fromEntries(Object.entries(from).filter(([field]) => changed.some((name) => name === field)));
  return { before: pick(current), after: pick(requested) };
}

export function toUpdate(member: StaffMember, { role, disabled, name }: StaffChange) {
  const disabledAt = disabled ? (member.disabledAt ?? new Date()) : null;
  return {
    ...(role !== undefined && { role }),
    ...(name !== undefined && { name }),
    ...(disabled !== undefined && { disabledAt }),
  };
}

export function actionOf({ disabled }: StaffChange): AuditAction {
  if (disabled === undefined) return 'staff.changed';
  return disabled ? 'staff.disabled' : 'staff.enabled';
}
