import { AccountRepository } from '@app/database/accounts/account.repository';
import type { ManagementCredential } from '@app/database/staff/management-credential.entity';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { parseAllowList } from '@app/domain/allow-lists/allow-list';
import { DomainError } from '@app/domain/errors';
import type { ForwardRule } from '@app/domain/keys/forward-rules';
import { rulesOf, toRules, toWireRules } from '@app/domain/keys/key-policy';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { AlertRulesService } from '../alerts/alert-rules.service';
import { byCommandLine } from '../audit/audit-actors';
import { entriesAt, inOrder, planPart, type EntryChange, type PlannedEntry } from '../key-files/file-part';
import { KeyPoliciesService } from '../keys/key-policies.service';
import { ServiceCredentialsService } from '../keys/service-credentials.service';
import { ManagementCredentialsService, type ManagementInput } from '../staff/management-credentials.service';
import { RolePoliciesService } from '../staff/role-policies.service';
import { ScreeningListsService } from '../voices/screening-lists.service';
import {
  nameOfEntry,
  type ListedCredential,
  type ManagedCredential,
  type Settings,
  type SettingsFile,
  type TierPolicy,
} from './settings-file';

type Part = keyof Settings;

/** How the settings of an installation differ from a file in one place. */
export type SettingChange = EntryChange<Part>;
type MakeSetting = () => Promise<unknown>;

/** What may be done to an entry. `id` is that of the stored one. */
interface PartWork<T> {
  stored: { entry: T; id: string }[];
  set: (entry: T, id: string | null) => Promise<unknown>;
  /** Null for what stays when a file does not have it. */
  remove: ((id: string) => Promise<unknown>) | null;
}

/**
 * Settings that are the same in all cells, as one file has them. Each change goes through the service that makes it for staff: with
 * its rules and its event of the audit log, in a separate transaction.
 */
@Injectable()
export class SettingsService {
  constructor(
    private readonly policies: KeyPoliciesService,
    private readonly screening: ScreeningListsService,
    private readonly alertRules: AlertRulesService,
    private readonly roles: RolePoliciesService,
    private readonly credentials: ServiceCredentialsService,
    private readonly programs: ManagementCredentialsService,
    private readonly staff: StaffRepository,
    private readonly accounts: AccountRepository,
  ) {}

  /** All settings of this installation. */
  async export(): Promise<SettingsFile> {
    const entriesOf = async <T>(work: Promise<PartWork<T>>) => (await work).stored.map(({ entry }) => entry);
    const [profanity] = await entriesOf(this.workOfProfanity(''));
    return {
      version: 1,
      key_policies: await entriesOf(this.workOfPolicies('')),
      profanity: profanity!.profanity,
      screening: await entriesOf(this.workOfScreening('')),
      alert_rules: await entriesOf(this.workOfRules('')),
      roles: await entriesOf(this.workOfRoles('')),
      service_credentials: await entriesOf(this.workOfCredentials('')),
      management_credentials: await entriesOf(this.workOfPrograms('')),
    };
  }

  /** What would have to change so that the settings are those of a file; changes nothing. */
  async plan(file: SettingsFile): Promise<SettingChange[]> {
    return this.prepare(file, '');
  }

  /**
   * Makes the settings those of a file, one change after the other: after a failure, what was changed before stays, and the next
   * call continues.
   *
   * @param reason for the audit log
   * @param onChanged is called after each change
   * @throws DomainError as the routes of staff do, and ChangeWaits for what a second person has to approve
   */
  async apply(
    file: SettingsFile,
    reason: string,
    onChanged: (change: SettingChange) => void = () => undefined,
  ): Promise<void> {
    for (const { make, ...change } of await this.prepare(file, reason)) {
      await make();
      onChanged(change);
    }
  }

  private async prepare(file: SettingsFile, reason: string): Promise<PlannedEntry<Part, MakeSetting>[]> {
    const { key_policies, profanity, screening, alert_rules, roles } = file;
    const { service_credentials, management_credentials } = file;
    const planned = [
      key_policies &&
        (await plan('key_policies', key_policies.map(completed), await this.workOfPolicies(reason))),
      profanity !== undefined &&
        (await plan('profanity', [{ profanity }], await this.workOfProfanity(reason))),
      screening &&
        (await plan('screening', await this.ofThisCell(screening), await this.workOfScreening(reason))),
      alert_rules &&
        (await plan('alert_rules', alert_rules.map(sortedChannels), await this.workOfRules(reason))),
      roles && (await plan('roles', roles, await this.workOfRoles(reason))),
      service_credentials &&
        (await plan('service_credentials', service_credentials, await this.workOfCredentials(reason))),
      management_credentials &&
        (await plan('management_credentials', management_credentials, await this.workOfPrograms(reason))),
    ];
    return planned.flatMap((changes) => changes || []);
  }

  private async workOfPolicies(reason: string): Promise<PartWork<TierPolicy>> {
    const stored = (await this.policies.list()).flatMap(({ tier, ...policy }) =>
      tier === null ? [] : [{ entry: { tier, ...toWireRules(rulesOf(policy)) }, id: tier }],
    );
    const scopeOf = (tier: string) => ({ tier: tier as TierPolicy['tier'], accountId: null });
    return {
      stored,
      set: (entry) => this.policies.save(byCommandLine(), scopeOf(entry.tier), toRules(entry), reason),
      remove: (id) => this.policies.remove(byCommandLine(), scopeOf(id), reason),
    };
  }

  private async workOfProfanity(reason: string): Promise<PartWork<Pick<Settings, 'profanity'>>> {
    const { profanity } = await this.screening.list();
    return {
      stored: [{ entry: { profanity }, id: 'profanity' }],
      set: (entry) => this.screening.setProfanity(requestFor(reason), entry.profanity),
      remove: null,
    };
  }

  private async workOfScreening(reason: string): Promise<PartWork<Settings['screening'][number]>> {
    const { entries } = await this.screening.list();
    return {
      stored: entries.map(({ id, list, text, accountId }) => ({
        entry: { list, text, account_id: accountId },
        id,
      })),
      set: ({ list, text, account_id: accountId }, id) =>
        id === null
          ? this.screening.add(requestFor(reason), { list, text, accountId })
          : this.screening.edit(requestFor(reason), id, { text, accountId }),
      remove: (id) => this.screening.remove(requestFor(reason), id),
    };
  }

  private async workOfRules(reason: string): Promise<PartWork<Settings['alert_rules'][number]>> {
    const stored = (await this.alertRules.list(null)).map(
      ({ id, kind, tier, threshold, channels, enabled }) => ({
        entry: sortedChannels({ kind, tier, threshold, channels, enabled }),
        id,
      }),
    );
    const targetOf = (ruleId: string) => ({ ...requestFor(reason), accountId: null, ruleId });
    return {
      stored,
      set: (rule, id) =>
        id === null
          ? this.alertRules.create(byCommandLine(), null, rule, reason)
          : this.alertRules.edit(targetOf(id), { channels: rule.channels, enabled: rule.enabled }),
      remove: (id) => this.alertRules.remove(targetOf(id)),
    };
  }

  private async workOfRoles(reason: string): Promise<PartWork<Settings['roles'][number]>> {
    const stored = (await this.roles.list()).map(({ policy: { role, secondFactorRequired } }) => ({
      entry: { role, second_factor_required: secondFactorRequired },
      id: role,
    }));
    return {
      stored,
      set: ({ role, second_factor_required: secondFactorRequired }) =>
        this.roles.change(role, requestFor(reason), { secondFactorRequired }),
      remove: null,
    };
  }

  /** A credential that is disabled counts as not there: it stays disabled. */
  private async workOfCredentials(
    reason: string,
  ): Promise<PartWork<Settings['service_credentials'][number]>> {
    const all = await this.credentials.list();
    return {
      stored: all
        .filter(({ disabledAt }) => disabledAt === null)
        .map(({ id, name, digest, maskedSecret, forwardRules }) => ({
          entry: {
            name,
            sha256: digest,
            last_four: maskedSecret.slice(-4),
            forward_rules: forwardRules.map(toForwardRule),
          },
          id,
        })),
      set: ({ name, sha256: digest, last_four: lastFour, forward_rules: rules = [] }, id) => {
        if (id !== null) return this.credentials.setForwardRules({ ...requestFor(reason), id }, rules);
        if (all.some((known) => known.digest === digest))
          throw new DomainError('service_credential_stays_disabled');
        return this.credentials.add(
          byCommandLine(),
          { name, digest, maskedSecret: `grs_…${lastFour}`, forwardRules: rules },
          reason,
        );
      },
      remove: (id) => this.credentials.disable({ ...requestFor(reason), id }),
    };
  }

  /** A credential that is disabled counts as not there; the file has the digest of the newest secret. */
  private async workOfPrograms(reason: string): Promise<PartWork<ManagedCredential>> {
    const all = await this.programs.list();
    return {
      stored: all
        .filter(({ disabledAt }) => disabledAt === null)
        .map((credential) => ({ entry: toManagedCredential(credential), id: credential.id })),
      set: async (entry, id) => {
        const settings = toManagementInput(entry);
        if (id !== null) return this.programs.edit({ ...requestFor(reason), id }, settings);
        if (all.some(({ digest, oldDigest }) => [digest, oldDigest].includes(entry.sha256)))
          throw new DomainError('management_credential_known', { name: entry.name });
        const creator = await this.staff.findByEmail(entry.creator);
        if (!creator) throw new DomainError('staff_not_found', { staffId: entry.creator });
        const issued = { digest: entry.sha256, maskedSecret: `grm_…${entry.last_four}` };
        return this.programs.add(byCommandLine(), creator.id, settings, issued, reason);
      },
      remove: (id) => this.programs.disable({ ...requestFor(reason), id }),
    };
  }

  /** Entries without the accounts that are in other cells: no account may use such a name here. */
  private async ofThisCell(entries: Settings['screening']): Promise<Settings['screening']> {
    return Promise.all(
      entries.map(async (entry) => {
        const { account_id: id } = entry;
        const isHere = id !== null && isUuid(id) && (await this.accounts.find(id)) !== null;
        return { ...entry, account_id: isHere ? id : null };
      }),
    );
  }
}

/** The changes that make stored entries the requested ones. */
async function plan<T extends object>(
  part: Part,
  requested: readonly T[],
  { stored, set, remove }: PartWork<T>,
) {
  const nameOf = (entry: T) => nameOfEntry(part, entry);
  const known = new Map(stored.map((each) => [nameOf(each.entry), each]));
  const { changes } = await planPart<Part, T, (typeof stored)[number], object, MakeSetting>({
    kind: part,
    entries: entriesAt(requested, [part]),
    stored,
    about: ({ id, entry }) => ({ id, name: nameOf(entry), version: null }),
    settingsOf: ({ entry }) => changeable(part, entry),
    isRemoved: () => remove !== null,
    remove:
      ({ id }) =>
      () =>
        remove!(id),
    read: (entry) => {
      const present = known.get(nameOf(entry)) ?? null;
      return {
        present,
        name: nameOf(entry),
        settings: changeable(part, entry),
        make: () => () => set(entry, present?.id ?? null),
      };
    },
  });
  // A service or a program has its new credential before it loses the other.
  return part.endsWith('_credentials') ? changes : inOrder(changes);
}

/** What cannot be changed is not a difference: the name of a service, and who created a program's credential. */
function changeable(part: Part, entry: object): object {
  if (part === 'management_credentials') return comparable(entry as ManagedCredential);
  if (part !== 'service_credentials') return { ...entry };
  const { forward_rules: rules } = entry as ListedCredential;
  return { forward_rules: rules?.map(toForwardRule) };
}

/** Its fields in one order, in which they are compared. */
const toForwardRule = ({ match, scope, cost }: ForwardRule): ForwardRule => ({ match, scope, cost });

/** Its lists in one order and its times in one form, in which they are compared. */
function comparable({ sha256: _, last_four: __, creator: ___, ...entry }: ManagedCredential): object {
  return {
    ...entry,
    permissions: entry.permissions.toSorted(),
    account_ids: entry.account_ids.toSorted(),
    allowed_ips: parseAllowList(entry.allowed_ips).canonical,
    expires_at: new Date(entry.expires_at).toISOString(),
  };
}

function toManagedCredential(credential: ManagementCredential): ManagedCredential {
  return {
    name: credential.name,
    purpose: credential.purpose,
    sha256: credential.digest,
    last_four: credential.maskedSecret.slice(-4),
    creator: credential.createdBy,
    permissions: credential.permissions as ManagedCredential['permissions'],
    accounts: credential.accounts,
    account_ids: credential.accountIds,
    tag: credential.tag,
    allowed_ips: credential.allowedIps,
    requests_per_minute: credential.requestsPerMinute,
    expires_at: credential.expiresAt.toISOString(),
  };
}

/** That an empty list of addresses is meant says the file, which was reviewed. */
function toManagementInput(entry: ManagedCredential): ManagementInput {
  return {
    name: entry.name,
    purpose: entry.purpose,
    permissions: entry.permissions,
    accounts: entry.accounts,
    accountIds: entry.account_ids,
    tag: entry.tag,
    allowedIps: entry.allowed_ips,
    requestsPerMinute: entry.requests_per_minute,
    expiresAt: new Date(entry.expires_at),
    anyAddress: true,
  };
}

const requestFor = (reason: string) => ({ actor: byCommandLine(), reason, expected: 'any' as const });

/** With all its rules: those that are left out demand nothing. */
function completed({ tier, ...rules }: TierPolicy): TierPolicy {
  return { tier, ...toWireRules(toRules(rules)) };
}

function sortedChannels<T extends { channels: readonly string[] }>(rule: T): T {
  return { ...rule, channels: [...new Set(rule.channels)].sort() };
}
