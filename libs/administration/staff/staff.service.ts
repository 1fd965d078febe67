import { AppConfig } from '@app/config/app-config';
import { isUuid } from '@app/domain/common/uuid';
import type { AuditAction } from '@app/domain/audit/audit-actions';
import { readEmailAddress } from '@app/domain/common/email-address';
import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { PasskeyRepository } from '@app/database/staff/passkey.repository';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { bySystem, type AuditActor } from '../audit/audit-actors';
import { AuditedChanges, thenRead, type ChangeWork } from '../audit/audited-changes';
import { changing, type ChangeRequest, type Edit, type Locked } from '../audit/locked-change';
import { hashPassword } from './password-hash';
import {
  actionOf,
  changesOf,
  EMERGENCY_HOURS,
  newPassword,
  oneTimeEnd,
  toMember,
  toUpdate,
  type NewStaff,
  type StaffChange,
} from './staff-changes';
import type { AuditEntry } from '../audit/audit-log';

/** A member with a password that is shown this once. */
export interface WithPassword {
  member: StaffMember;
  password: string;
}

/** Which member a change is about, and who makes it. */
export interface StaffTarget extends ChangeRequest {
  staffId: string;
}

type StaffPatch = Parameters<StaffRepository['update']>[1];

@Injectable()
export class StaffService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly staff: StaffRepository,
    private readonly passkeys: PasskeyRepository,
    private readonly config: AppConfig,
  ) {}

  async get(id: string, em?: EntityManager): Promise<StaffMember> {
    const member = isUuid(id) ? await this.staff.find(id, em) : null;
    if (!member) throw staffNotFound(id);
    return member;
  }

  /** Adds a member who signs in with a password that must be changed. */
  async add(actor: AuditActor, input: NewStaff): Promise<WithPassword> {
    return (await this.changes.make(this.adding(actor, input))).result;
  }

  /** Changes the role or the name of a member, disables or enables them. Disabling ends their sessions. */
  async change(target: StaffTarget, requested: StaffChange): Promise<StaffMember> {
    return this.make(target, this.changingMember(target, requested));
  }

  /** The same as part of a transaction. */
  changingMember(target: StaffTarget, requested: StaffChange): ChangeWork {
    return async (em) => {
      const admins = await this.staff.lockActiveAdmins(em);
      const change = this.changing(target, async (member) => {
        const { before, after } = changesOf(member, requested);
        if (Object.keys(after).length === 0) return null;
        refuseNoAdmin(admins.filter(this.canSignIn), member, requested);
        if (requested.disabled) await this.staff.endSessions(member.id, null, em);
        return { patch: toUpdate(member, requested), action: actionOf(requested), before, after };
      });
      return change(em);
    };
  }

  /** Whether a member has a way to sign in: a one-time password that has lapsed is none. */
  private readonly canSignIn = ({ oneTimePasswordUntil, passkeys }: StaffMember): boolean =>
    oneTimePasswordUntil === null ||
    oneTimePasswordUntil > new Date() ||
    passkeys > 0 ||
    this.config.oidcIssuer !== undefined;

  /** Gives a member a new password, which must be changed, and ends their sessions. */
  async resetPassword(target: StaffTarget): Promise<WithPassword> {
    return this.givePassword(target, 'staff.password_reset', { oneTimePasswordUntil: oneTimeEnd() });
  }

  /** The same for an hour in which the member may sign in with it although passwords are off. */
  async giveEmergencyPassword(email: string, request: ChangeRequest): Promise<WithPassword> {
    const member = await this.staff.findByEmail(readEmailAddress(email) ?? email);
    if (!member) throw staffNotFound(email);
    const end = oneTimeEnd(EMERGENCY_HOURS);
    const ends = { oneTimePasswordUntil: end, emergencyUntil: end };
    return this.givePassword({ ...request, staffId: member.id }, 'staff.emergency_password_given', ends);
  }

  private async givePassword(
    target: StaffTarget,
    action: AuditAction,
    ends: StaffPatch,
  ): Promise<WithPassword> {
    const password = newPassword();
    const passwordHash = await hashPassword(password);
    const giving = this.changing(target, async ({ id }, em) => {
      await this.staff.setPassword(id, passwordHash, em);
      await this.staff.endSessions(id, null, em);
      return { patch: { mustChangePassword: true, ...ends }, action };
    });
    return { member: await this.make(target, giving), password };
  }

  /** Removes the second factor of a member who has lost it, and ends their sessions. */
  async resetSecondFactor(target: StaffTarget): Promise<StaffMember> {
    const resetting = this.changing(target, async (member, em) => {
      await this.staff.deleteSecondFactor(member.id, em);
      await this.passkeys.deleteAll(member.id, em);
      await this.staff.endSessions(member.id, null, em);
      return {
        patch: { twoFactorEnabled: false, passkeys: 0 },
        action: 'staff.second_factor_reset',
        before: { second_factor: member.twoFactorEnabled, passkeys: member.passkeys },
        after: { second_factor: false, passkeys: 0 },
      };
    });
    return this.make(target, resetting);
  }

  /** Ends all sessions of a member. */
  async endSessions(target: Omit<StaffTarget, 'expected'>): Promise<{ ended: number }> {
    let ended = 0;
    const lock = (em: EntityManager) => this.lock(target.staffId, em);
    const ending = changing({ ...target, expected: 'any' }, lock, async ({ id }, em) => {
      ended = await this.staff.endSessions(id, null, em);
      return { action: 'staff.sessions_ended', after: { ended } };
    });
    await this.changes.make(ending);
    return { ended };
  }

  /**
   * Adds the first admin when no staff exist yet; null otherwise. The first sign-in has to replace the random password,
   * which works until then: it is stored in a file that only the owner of the installation reads.
   */
  addingFirstAdmin(email = 'admin@greenroom.local'): ChangeWork<{ email: string; password: string } | null> {
    return async (em) => {
      if (await this.staff.existsAny(em)) return { result: null, events: [] };
      const first: NewStaff = { email, name: 'First admin', role: 'admin', reason: 'First run' };
      const { result, events } = await this.adding(bySystem('first run'), first)(em);
      await this.staff.update(result.member.id, { oneTimePasswordUntil: null }, em);
      return { result: { email, password: result.password }, events };
    };
  }

  /** `add` as part of a transaction. */
  adding(actor: AuditActor, input: NewStaff): ChangeWork<WithPassword> {
    return async (em) => {
      const password = newPassword();
      const member = toMember(input, oneTimeEnd());
      const { id, email, name, role } = member;
      if (!(await this.staff.insert(member, await hashPassword(password), em)))
        throw new DomainError('staff_email_taken', { email }, { param: 'email' });
      const event: AuditEntry = {
        actor,
        action: 'staff.added',
        target: auditTarget({ id }),
        reason: input.reason,
      };
      return { result: { member, password }, events: [{ ...event, after: { email, name, role } }] };
    };
  }

  private async make({ staffId }: StaffTarget, work: ChangeWork): Promise<StaffMember> {
    return (await this.changes.make(thenRead(work, (em) => this.get(staffId, em)))).result;
  }

  private changing(
    target: StaffTarget,
    edit: (member: StaffMember, em: EntityManager) => Promise<Edit<StaffPatch> | null>,
  ): ChangeWork {
    return changing(target, (em) => this.lock(target.staffId, em), edit);
  }

  private async lock(id: string, em: EntityManager): Promise<Locked<StaffMember, StaffPatch>> {
    const member = isUuid(id) ? await this.staff.lock(id, em) : null;
    if (!member) throw staffNotFound(id);
    return {
      resource: member,
      version: member.version,
      auditTarget: auditTarget(member),
      save: (patch) => this.staff.update(member.id, patch, em),
    };
  }
}

function refuseNoAdmin(
  admins: readonly StaffMember[],
  member: StaffMember,
  { role, disabled }: StaffChange,
): void {
  const staysAdmin = (role ?? member.role) === 'admin' && !(disabled ?? member.disabledAt !== null);
  if (admins.length === 1 && admins[0]!.id === member.id && !staysAdmin) throw new DomainError('last_admin');
}

function auditTarget({ id }: { id: string }) {
  return { type: 'staff', id };
}

function staffNotFound(id: string): DomainError {
  return new DomainError('staff_not_found', { staffId: id.slice(0, 100) });
}
