import type { RolePolicy } from '@app/database/staff/role-policy.entity';
import { RolePolicyRepository } from '@app/database/staff/role-policy.repository';
import { StaffRepository, type RoleMembers } from '@app/database/staff/staff.repository';
import { DomainError } from '@app/domain/errors';
import { STAFF_ROLES, type StaffRole } from '@app/domain/staff/staff-permissions';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditedChanges, thenRead } from '../audit/audited-changes';
import { changing, type ChangeRequest, type Locked } from '../audit/locked-change';

/** A policy, and whom it concerns. */
export interface RoleState {
  policy: RolePolicy;
  members: number;
  withoutSecondFactor: number;
}

type PolicyPatch = Pick<RolePolicy, 'secondFactorRequired'>;

/** What each role requires of its members; admins set it. */
@Injectable()
export class RolePoliciesService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly policies: RolePolicyRepository,
    private readonly staff: StaffRepository,
  ) {}

  /** In the order of the roles. */
  async list(): Promise<RoleState[]> {
    const [rows, counts] = await Promise.all([this.policies.list(), this.staff.countByRole()]);
    return STAFF_ROLES.flatMap((role) => rows.filter((row) => row.role === role)).map((policy) =>
      toState(policy, counts),
    );
  }

  /** @throws DomainError `role_not_found` */
  async get(role: string): Promise<RoleState> {
    return this.read(readRole(role));
  }

  /** Holds from the next request of each member on. */
  async change(
    input: string,
    request: ChangeRequest,
    { secondFactorRequired }: { secondFactorRequired: boolean },
  ): Promise<RoleState> {
    const role = readRole(input);
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
    return (await this.changes.make(thenRead(change, (em) => this.read(role, em)))).result;
  }

  private async read(role: StaffRole, em?: EntityManager): Promise<RoleState> {
    return toState(await this.policies.get(role, em), await this.staff.countByRole(em));
  }

  private async lock(role: StaffRole, em: EntityManager): Promise<Locked<RolePolicy, PolicyPatch>> {
    const policy = await this.policies.lock(role, em);
    return {
      resource: policy,
      version: policy.version,
      auditTarget: { type: 'role', id: role },
      save: (patch) => this.policies.update(role, patch, em),
    };
  }
}

function toState(policy: RolePolicy, counts: RoleMembers[]): RoleState {
  const found = counts.find(({ role }) => role === policy.role);
  return { policy, members: found?.members ?? 0, withoutSecondFactor: found?.withoutSecondFactor ?? 0 };
}

function readRole(input: string): StaffRole {
  const role = STAFF_ROLES.find((known) => known === input);
  if (role) return role;
  throw new DomainError('role_not_found', { role: input.slice(0, 100), roles: STAFF_ROLES.join(', ') });
}
