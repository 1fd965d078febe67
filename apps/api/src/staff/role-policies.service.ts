import type { RolePolicy } from '@app/database/staff/role-policy.entity';
import { RolePolicyRepository } from '@app/database/staff/role-policy.repository';
import { DomainError } from '@app/domain/errors';
import { STAFF_ROLES, type StaffRole } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  AuditedChanges,
  changing,
  thenRead,
  type ChangeRequest,
  type Locked,
} from '@app/administration/audit/audited-changes';

type PolicyPatch = Pick<RolePolicy, 'secondFactorRequired'>;

/** What each role requires of its members; admins set it. */
@Injectable()
export class RolePoliciesService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly policies: RolePolicyRepository,
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
    given: string,
    request: ChangeRequest,
    { secondFactorRequired }: { secondFactorRequired: boolean },
  ): Promise<RolePolicy> {
    const role = readRole(given);
    const change = changing(
      request,
      (em) => this.lock(role, em),
      async (policy) => {
        if (policy.secondFactorRequired === secondFactorRequired) return null;
        return {
          patch: { secondFactorRequired },
          action: 'staff.role_policy_changed',
          before: { second_factor_required: policy.secondFactorRequired },
          after: { second_factor_required: secondFactorRequired },
        };
      },
    );
    return (await this.changes.make(thenRead(change, (em) => this.policies.get(role, em)))).result;
  }

  private async lock(role: StaffRole, em: EntityManager): Promise<Locked<RolePolicy, PolicyPatch>> {
    const policy = await this.policies.lock(role, em);
    return {
      thing: policy,
      version: policy.version,
      auditTarget: { type: 'role', id: role },
      save: (patch) => this.policies.update(role, patch, em),
    };
  }
}

function readRole(given: string): StaffRole {
  const role = STAFF_ROLES.find((known) => known === given);
  if (role) return role;
  throw new DomainError('role_not_found', { role: given.slice(0, 100), roles: STAFF_ROLES.join(', ') });
}
