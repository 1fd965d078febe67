import { AccountRepository } from '@app/database/accounts/account.repository';
import { ServiceAccountRepository } from '@app/database/accounts/service-account.repository';
import { AlertRuleRepository } from '@app/database/alerts/alert-rule.repository';
import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import { BudgetRepository } from '@app/database/credits/budget.repository';
import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import { KeyPolicyRepository } from '@app/database/key-policies/key-policy.repository';
import { VoiceAliasRepository } from '@app/database/voices/voice-alias.repository';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import type { FileAccount } from './key-file';
import type { AccountState, Drift, PlannedChange, PlanProblem } from './key-file-plan';
import { actorIdOf } from './file-actor';

/** Events of one key or webhook that are searched for who has changed a setting. */
const EVENTS_SEARCHED = 50;

/** The settings of a file by their names in the audit log, where those differ. */
const AUDIT_NAMES: Record<string, string> = { enabled: 'disable_reason' };

/** Reads what a file of keys is compared with: accounts, their keys and webhooks, and who has changed them. */
@Injectable()
export class KeyFileStateService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly serviceAccounts: ServiceAccountRepository,
    private readonly files: KeyFileRepository,
    private readonly events: AuditLogRepository,
    private readonly rules: AlertRuleRepository,
    private readonly budgets: BudgetRepository,
    private readonly aliases: VoiceAliasRepository,
    private readonly policies: KeyPolicyRepository,
  ) {}

  /** What a file reaches in an account that it names, or why that is not possible. */
  async read(file: string, input: FileAccount, at: (string | number)[]): Promise<AccountState | PlanProblem> {
    const account = await this.accounts.findByIdOrName(input.account);
    if (!account) {
      const message = `There is no account with this id, and not exactly one with this name (given: ${JSON.stringify(input.account)}).`;
      return { path: [...at, 'account'], message };
    }
    const { keys: named = [], voices = [] } = input;
    const ids = named.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const notAnId = named.findIndex(({ id }) => id !== undefined && !isUuid(id));
    if (notAnId >= 0) {
      const message = `An id of a key is a UUID (given: ${JSON.stringify(named[notAnId]!.id)}).`;
      return { path: [...at, 'keys', notAnId, 'id'], message };
    }
    const names = named.flatMap(({ id, name }) => (id === undefined ? [name] : []));
    return this.readAccount(file, account.id, { ids, names, voices: voices.map(({ id }) => id) });
  }

  /** Accounts that the file does not name, and in which it still manages something. */
  async readAbandoned(file: string, named: ReadonlySet<string>): Promise<AccountState[]> {
    const states: AccountState[] = [];
    for (const accountId of await this.files.listManagedAccounts(file))
      if (!named.has(accountId))
        states.push(await this.readAccount(file, accountId, { ids: [], names: [], voices: [] }));
    return states;
  }

  /** For every setting that differs: who has changed it since the file was applied, if it was not the file. */
  async findDrift(file: string, { id, action, before }: PlannedChange): Promise<Drift[]> {
    if (id === null || action !== 'update') return [];
    const reader = { id: '', scope: 'all' } as const;
    const page = { beforeId: null, limit: EVENTS_SEARCHED };
    const events = await this.events.list({ targetId: id }, reader, page);
    return Object.keys(before).flatMap((field) => {
      const name = AUDIT_NAMES[field] ?? field;
      const last = events.find(({ after }) => hasField(after, name) || hasField(after, field));
      if (!last || last.actorId === actorIdOf(file)) return [];
      return [{ field, by: last.actorName, at: last.at.toISOString(), reason: last.reason }];
    });
  }

  private async readAccount(
    file: string,
    accountId: string,
    { voices, ...keys }: { ids: string[]; names: string[]; voices: string[] },
  ): Promise<AccountState> {
    const account = (await this.accounts.find(accountId))!;
    return {
      account,
      list: await this.files.findAccountList(accountId),
      policy: await this.policies.findHolding(account),
      keys: await this.files.listKeys({ accountId, file, ...keys }),
      webhooks: await this.files.listWebhooks(accountId),
      rules: await this.rules.list(accountId),
      budgets: await this.budgets.list(accountId),
      voices: await this.aliases.list(accountId, voices),
      serviceAccounts: await this.serviceAccounts.list(accountId),
    };
  }
}

function hasField(value: unknown, field: string): boolean {
  return typeof value === 'object' && value !== null && field in value;
}
