import { bySystem } from '@app/administration/audit/audit-actors';
import { StaffService } from '@app/administration/staff/staff.service';
import { AppConfig } from '@app/config/app-config';
import type { StaffMember } from '@app/database/staff/staff-member.entity';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { readEmailAddress } from '@app/domain/common/email-address';
import { DomainError } from '@app/domain/errors';
import type { ProviderRefusalCode } from '@app/domain/staff/provider-refusals';
import { groupsIn, roleOfGroups, type RoleOfGroup } from '@app/domain/staff/provider-roles';
import { Injectable, Logger } from '@nestjs/common';

/** What the identity provider says of a person, from a token that was verified. */
export type ProviderClaims = Record<string, unknown> & {
  sub?: unknown;
  email?: string | null;
  name?: unknown;
  emailVerified?: unknown;
};

/** The identity provider knows a person who may not sign in here. */
export class ProviderRefusal extends Error {
  constructor(
    readonly code: ProviderRefusalCode,
    readonly email?: string,
  ) {
    super(code);
  }
}

const ACTOR = bySystem('identity provider');

/** Who of the identity provider's people is staff here, and with which role. */
@Injectable()
export class ProviderMembers {
  private readonly logger = new Logger('StaffSignIn');

  constructor(
    private readonly config: AppConfig,
    private readonly staff: StaffRepository,
    private readonly members: StaffService,
  ) {}

  /**
   * Gives a member the role of their groups, and adds one where that is wanted. To be called at each sign-in.
   *
   * @returns what the sign-in library is to find the member by
   * @throws ProviderRefusal
   */
  async admit(claims: ProviderClaims): Promise<{ email: string; emailVerified: boolean }> {
    const email = readEmailAddress(claims.email ?? '') ?? undefined;
    const emailVerified = this.config.oidcEmailVerified === 'always' || claims.emailVerified === true;
    const linked = await this.staff.findAtProvider(String(claims.sub));
    const member = linked ?? (emailVerified && email ? await this.staff.findByEmail(email) : null);
    const granted = this.grantedRole(claims);
    if (granted === null) {
      if (member)
        await this.members.endSessions({
          staffId: member.id,
          actor: ACTOR,
          reason: 'None of the groups in OIDC_ROLE_MAP',
        });
      throw new ProviderRefusal('no_role', email);
    }
    if (member?.disabledAt) throw new ProviderRefusal('disabled', email);
    if (member && granted) await this.changeRole(member, granted);
    if (!email) {
      if (linked) return { email: linked.email, emailVerified };
      throw new ProviderRefusal('email_not_found');
    }
    if (!member) await this.add(email, emailVerified, claims, granted);
    return { email, emailVerified };
  }

  /** Undefined where roles are given in the console. */
  private grantedRole(claims: ProviderClaims): RoleOfGroup | null | undefined {
    const { oidcRoleClaim, oidcRoleMap } = this.config;
    if (!oidcRoleClaim || !oidcRoleMap) return undefined;
    return roleOfGroups(groupsIn(claims, oidcRoleClaim), oidcRoleMap);
  }

  private async add(
    email: string,
    emailVerified: boolean,
    { name }: ProviderClaims,
    granted: RoleOfGroup | undefined,
  ): Promise<void> {
    if (!emailVerified) throw new ProviderRefusal('email_not_verified', email);
    if (!granted || this.config.oidcCreateMembers === 'off') throw new ProviderRefusal('not_staff', email);
    const member = { email, role: granted.role, reason: reasonFor(granted) };
    // The password that it gets is shown to no person; signing in deletes it.
    await this.members.add(
      ACTOR,
      typeof name === 'string' ? { ...member, name: name.slice(0, 100) } : member,
    );
  }

  private async changeRole({ id, role }: StaffMember, granted: RoleOfGroup): Promise<void> {
    if (granted.role === role) return;
    try {
      const target = { staffId: id, actor: ACTOR, expected: 'any', reason: reasonFor(granted) } as const;
      await this.members.change(target, { role: granted.role });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'last_admin') throw error;
      this.logger.warn(`The last admin keeps the role: "${granted.group}" would make them ${granted.role}.`);
    }
  }
}

function reasonFor({ group }: RoleOfGroup): string {
  return `Group "${group.slice(0, 200)}" of the identity provider`;
}
