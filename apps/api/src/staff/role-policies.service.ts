import type { RolePolicy } from '@app/database/staff/role-policy.entity';
import { RolePolicyRepository } from '@app/database/staff/role-policy.repository';
import { DomainError } from '@app/domain/errors';
import { STAFF_ROLES, type StaffRole } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { byStaff } from '@app/administration/audit/audit-actors';
import { AuditLog } from '@app/administration/audit/audit-log';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import type { ChangeRolePolicyBody } from './role-policy.dto';

/** What each role requires of its members; admins set it. */
@Injectable()
export class RolePoliciesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly policies: RolePolicyRepository,
    private readonly auditLog: AuditLog,
  ) {}

  /** In the order of the roles. */
  async list(): Promise<RolePolicy[]> {
    const rows = await this.policies.list();
    return STAFF_ROLES.flatMap((role) => rows.filter((row) => row.role === role));
  }

  async get(role: string): Promise<RolePolicy> {
    return this.policies.get(readRole(role));
  }

  /** Holds from the next request of each member on. */
  async change(
    staff: Staff,
    given: string,
    expected: ExpectedVersion,
    { second_factor_required: secondFactorRequired, reason }: ChangeRolePolicyBody,
  ): Promise<RolePolicy> {
    const role = readRole(given);
    return this.dataSource.transaction(async (em) => {
      const policy = await this.policies.lock(role, em);
      checkVersion(expected, policy.version);
      if (policy.secondFactorRequired === secondFactorRequired) return policy;
      await this.policies.update(role, { secondFactorRequired }, em);
      await this.auditLog.record(
        {
          actor: byStaff(staff),
          action: 'staff.role_policy_changed',
          target: { type: 'role', id: role },
          before: { second_factor_required: policy.secondFactorRequired },
          after: { second_factor_required: secondFactorRequired },
          reason,
        },
        em,
      );
      return this.policies.get(role, em);
    });
  }
}

function readRole(given: string): StaffRole {
  const role = STAFF_ROLES.find((known) => known === given);
  if (role) return role;
  throw new DomainError('role_not_found', { role: given.slice(0, 100), roles: STAFF_ROLES.join(', ') });
}
