import { isUuid } from '@app/domain/common/uuid';
import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog, type AuditActor } from '../audit/audit-log';
import { bySystem, byStaff } from '../audit/audit-actors';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { hashPassword } from './password-hash';
import {
  actionOf,
  changesOf,
  newPassword,
  oneTimeEnd,
  toMember,
  toUpdate,
  type NewStaff,
  type StaffChange,
} from './staff-changes';

/** A member with a password that is shown this once. */
export interface WithPassword {
  member: StaffMember;
  password: string;
}

@Injectable()
export class StaffService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly staff: StaffRepository,
    private readonly auditLog: AuditLog,
  ) {}

  async get(id: string, em?: EntityManager): Promise<StaffMember> {
    const member = isUuid(id) ? await this.staff.find(id, em) : null;
    if (!member) throw new DomainError('staff_not_found', { staffId: id.slice(0, 100) });
    return member;
  }

  /** Adds a member who signs in with a password that must be changed. */
  async add(actor: AuditActor, input: NewStaff, em?: EntityManager): Promise<WithPassword> {
    if (!em) return this.dataSource.transaction((transaction) => this.add(actor, input, transaction));
    const password = newPassword();
    const member = toMember(input, oneTimeEnd());
    if (!(await this.staff.insert(member, await hashPassword(password), em))) {
      throw new DomainError('staff_email_taken', { email: member.email }, { param: 'email' });
    }
    const after = { email: member.email, name: member.name, role: member.role };
    await this.record(actor, 'staff.added', member.id, { after, reason: input.reason }, em);
    return { member, password };
  }

  /** Changes the role or the name of a member, disables or enables them. Disabling ends their sessions. */
  async change(staff: Staff, id: string, expected: ExpectedVersion, body: StaffChange): Promise<StaffMember> {
    return this.dataSource.transaction(async (em) => {
      const admins = await this.staff.lockActiveAdmins(em);
      const member = await this.lock(id, em);
      checkVersion(expected, member.version);
      const { before, after } = changesOf(member, body);
      if (Object.keys(after).length === 0) return member;
      const staysAdmin =
        (body.role ?? member.role) === 'admin' && !(body.disabled ?? member.disabledAt !== null);
      if (admins.length === 1 && admins[0] === member.id && !staysAdmin) throw new DomainError('last_admin');
      await this.staff.update(member.id, toUpdate(member, body), em);
      if (body.disabled) await this.staff.endSessions(member.id, null, em);
      await this.record(
        byStaff(staff),
        actionOf(body),
        member.id,
        { before, after, reason: body.reason },
        em,
      );
      return this.get(member.id, em);
    });
  }

  /** Gives a member a new password, which must be changed, and ends their sessions. */
  async resetPassword(
    staff: Staff,
    id: string,
    expected: ExpectedVersion,
    reason: string,
  ): Promise<WithPassword> {
    const password = newPassword();
    const passwordHash = await hashPassword(password);
    return this.dataSource.transaction(async (em) => {
      const member = await this.lock(id, em);
      checkVersion(expected, member.version);
      await this.staff.setPassword(member.id, passwordHash, em);
      const temporary = { mustChangePassword: true, oneTimePasswordUntil: oneTimeEnd() };
      await this.staff.update(member.id, temporary, em);
      await this.staff.endSessions(member.id, null, em);
      await this.record(byStaff(staff), 'staff.password_reset', member.id, { reason }, em);
      return { member: await this.get(member.id, em), password };
    });
  }

  /** Removes the second factor of a member who has lost it, and ends their sessions. */
  async resetSecondFactor(
    staff: Staff,
    id: string,
    expected: ExpectedVersion,
    reason: string,
  ): Promise<StaffMember> {
    return this.dataSource.transaction(async (em) => {
      const member = await this.lock(id, em);
      checkVersion(expected, member.version);
      await this.staff.deleteSecondFactor(member.id, em);
      await this.staff.update(member.id, { twoFactorEnabled: false }, em);
      await this.staff.endSessions(member.id, null, em);
      const change = {
        before: { second_factor: member.twoFactorEnabled },
        after: { second_factor: false },
        reason,
      };
      await this.record(byStaff(staff), 'staff.second_factor_reset', member.id, change, em);
      return this.get(member.id, em);
    });
  }

  /** Ends all sessions of a member. */
  async endSessions(staff: Staff, id: string, reason: string): Promise<{ ended: number }> {
    return this.dataSource.transaction(async (em) => {
      const member = await this.lock(id, em);
      const ended = await this.staff.endSessions(member.id, null, em);
      await this.record(byStaff(staff), 'staff.sessions_ended', member.id, { after: { ended }, reason }, em);
      return { ended };
    });
  }

  /**
   * The first admin, when no staff exist yet; null otherwise. The first sign-in has to replace the random password, which
   * works until then: it is kept in a file that only the owner of the installation reads.
   */
  async ensureFirstAdmin(
    em: EntityManager,
    email = 'admin@greenroom.local',
  ): Promise<{ email: string; password: string } | null> {
    if (await this.staff.existsAny(em)) return null;
    const first: NewStaff = { email, name: 'First admin', role: 'admin', reason: 'First run' };
    const { member, password } = await this.add(bySystem('first run'), first, em);
    await this.staff.update(member.id, { oneTimePasswordUntil: null }, em);
    return { email, password };
  }

  private async lock(id: string, em: EntityManager): Promise<StaffMember> {
    const member = isUuid(id) ? await this.staff.lock(id, em) : null;
    if (!member) throw new DomainError('staff_not_found', { staffId: id.slice(0, 100) });
    return member;
  }

  private async record(
    actor: AuditActor,
    action: string,
    id: string,
    change: { before?: object; after?: object; reason: string },
    em: EntityManager,
  ): Promise<void> {
    await this.auditLog.record({ actor, action, target: { type: 'staff', id }, ...change }, em);
  }
}
