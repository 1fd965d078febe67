import { bySystem } from '../audit/audit-actors';
import { AuditedChanges, together, type Change } from '../audit/audited-changes';
import type { StaffChange } from './staff-changes';
import { StaffService } from './staff.service';
import { AppConfig } from '@app/config/app-config';
import { ScimRepository, type ScimGroup, type ScimUser } from '@app/database/staff/scim.repository';
import { StaffRepository } from '@app/database/staff/staff.repository';
import type { AuditAction } from '@app/domain/audit/audit-actions';
import { readSignInAddress } from '@app/domain/common/email-address';
import { DomainError } from '@app/domain/errors';
import { roleOfGroups } from '@app/domain/staff/provider-roles';
import { refuseScim, type ScimInput } from '@app/domain/staff/scim-input';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';

const ACTOR = bySystem('identity provider');
const REASON = 'SCIM of the identity provider';

/**
 * The identity provider manages staff by SCIM 2.0: each request is one audited transaction. Who is active there and has a group of
 * OIDC_ROLE_MAP may sign in, with its role. Who was a member before, and has no such group yet, stays what they were.
 */
@Injectable()
export class ScimService {
  constructor(
    private readonly changes: AuditedChanges,
    private readonly members: StaffService,
    private readonly staff: StaffRepository,
    private readonly scim: ScimRepository,
    private readonly config: AppConfig,
  ) {}

  async get<Kind extends 'user' | 'group'>(kind: Kind, id: string, em?: EntityManager) {
    const [found] = (await this.scim.list(kind, { by: 'id', value: id }, undefined, em)).rows;
    if (found) return found;
    throw new DomainError('scim_resource_not_found', { kind, id: id.slice(0, 100) });
  }

  async createUser(input: ScimInput): Promise<ScimUser> {
    const { userName = '', displayName, externalId = null, active = true } = input;
    const email = readSignInAddress(userName);
    if (email === null) refuseScim(['userName'], 'an e-mail address that the person signs in with', userName);
    return this.change(async (em) => {
      const before = await this.staff.findByEmail(email, em);
      if (before && (await this.scim.list('user', { by: 'id', value: before.id }, undefined, em)).total > 0)
        throw new DomainError('staff_email_taken', { email }, { param: 'userName' });
      const { role } = this.config.oidcRoleMap!.at(-1)!;
      const member = { email, name: displayName?.slice(0, 100), role, reason: REASON };
      const added = before ? null : await this.members.adding(ACTOR, member)(em);
      const { id } = before ?? added!.result.member;
      await this.scim.saveUser({ id, externalId, active }, em);
      const said = event('staff.provisioned', id, undefined, { external_id: externalId, active });
      // Without a group, a new member has no role yet.
      const settled = await (added ? this.edit(id, { disabled: true }, em) : this.settle(id, em));
      return together([...(added ? [added] : []), said, settled], await this.get('user', id, em));
    });
  }

  async editUser(id: string, { userName, displayName, ...input }: ScimInput): Promise<ScimUser> {
    return this.change(async (em) => {
      const user = await this.get('user', id, em);
      if (userName !== undefined && readSignInAddress(userName) !== user.name)
        refuseScim(['userName'], `${user.name}; another address is another User`, userName);
      const { externalId = user.externalId, active = user.active } = input;
      await this.scim.saveUser({ id, externalId, active }, em);
      const before = { external_id: user.externalId, active: user.active };
      const said = event('staff.provisioned', id, before, { external_id: externalId, active });
      const edited = await this.edit(id, { name: displayName?.slice(0, 100) }, em);
      return together([said, edited, await this.settle(id, em)], await this.get('user', id, em));
    });
  }

  /** The member stays, disabled, for what they have done. */
  async deleteUser(id: string): Promise<void> {
    await this.change(async (em) => {
      const { externalId, active } = await this.get('user', id, em);
      await this.scim.delete('user', id, em);
      const said = event('staff.provisioned', id, { external_id: externalId, active }, undefined);
      return together([said, await this.edit(id, { disabled: true }, em)], undefined);
    });
  }

  /**
   * Creates a group, edits the one with an id, or deletes that, and gives all who were or are in it the role that follows.
   *
   * @param read what it is to be, from the members it has; null for nothing
   */
  async setGroup(
    id: string | null,
    read: (members: string[]) => ScimInput | null,
  ): Promise<ScimGroup | null> {
    return this.change(async (em) => {
      const before = id === null ? null : await this.get('group', id, em);
      const input = read(before?.members ?? []);
      const after = input && (await this.saveGroup(before, input, em));
      const change = after ? ('staff_group.changed' as const) : ('staff_group.deleted' as const);
      const action = before ? change : 'staff_group.created';
      const target = after?.id ?? before!.id;
      const said = event(action, target, audited(before), audited(after), 'staff_group');
      if (!after) await this.scim.delete('group', target, em);
      const settled: Change<void>[] = [];
      for (const member of new Set([...(before?.members ?? []), ...(after?.members ?? [])]))
        settled.push(await this.settle(member, em, true));
      return together([said, ...settled], after);
    });
  }

  private async saveGroup(before: ScimGroup | null, input: ScimInput, em: EntityManager): Promise<ScimGroup> {
    const { displayName: name = before?.name ?? '', externalId = before?.externalId ?? null } = input;
    const { members = before?.members ?? [] } = input;
    if (name === '')
      refuseScim(['displayName'], 'the name of the group, as in OIDC_ROLE_MAP', input.displayName);
    const { rows } = await this.scim.list('group', { by: 'name', value: name }, undefined, em);
    const id = before?.id ?? randomUUID();
    if (rows[0] && rows[0].id !== id) throw new DomainError('staff_group_exists', { name });
    await this.scim.saveGroup({ id, name, externalId, members }, em);
    const group = await this.get('group', id, em);
    const unknown = members.find((member) => !group.members.includes(member));
    if (unknown) refuseScim(['members'], 'ids of Users', unknown);
    return group;
  }

  /** @param isByGroup whether a person without a group that gives a role loses their access */
  private async settle(id: string, em: EntityManager, isByGroup = false): Promise<Change<void>> {
    const { active, groups } = await this.get('user', id, em);
    const names = groups.map(({ display }) => display);
    const granted = roleOfGroups(names, this.config.oidcRoleMap!);
    if (!active || (!granted && isByGroup)) return this.edit(id, { disabled: true }, em);
    return this.edit(id, granted ? { disabled: false, role: granted.role } : {}, em);
  }

  /** Who is disabled has no session from the next request on. */
  private async edit(
    id: string,
    { disabled, ...change }: StaffChange,
    em: EntityManager,
  ): Promise<Change<void>> {
    const { disabledAt } = await this.members.get(id, em);
    const requested = disabled === (disabledAt !== null) ? change : { ...change, disabled };
    return this.members.changingMember(
      { staffId: id, actor: ACTOR, expected: 'any', reason: REASON },
      requested,
    )(em);
  }

  private async change<T>(work: (em: EntityManager) => Promise<Change<T>>): Promise<T> {
    const { result } = await this.changes.make(async (em) => {
      await this.scim.lock(em);
      return work(em);
    });
    return result;
  }
}

function audited(group: ScimGroup | null): object | undefined {
  return group ? { name: group.name, external_id: group.externalId, members: group.members } : undefined;
}

function event(
  action: AuditAction,
  id: string,
  before?: object,
  after?: object,
  type = 'staff',
): Change<void> {
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  const entry = { actor: ACTOR, action, target: { type, id }, before, after, reason: REASON };
  return { result: undefined, events: isSame ? [] : [entry] };
}
