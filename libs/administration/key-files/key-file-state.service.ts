import { AccountRepository } from '@app/database/accounts/account.repository';
import { ServiceAccountRepository } from '@app/database/accounts/service-account.repository';
import { AlertRuleRepository } from '@app/database/alerts/alert-rule.repository';
import { BudgetRepository } from '@app/database/credits/budget.repository';
import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import { KeyPolicyRepository } from '@app/database/key-policies/key-policy.repository';
import { VoiceAliasRepository } from '@app/database/voices/voice-alias.repository';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import type { FileAccount } from './key-file';
import type { AccountState, PlanProblem } from './key-file-plan';

/** Reads what a file of keys is compared with: accounts with their keys, webhooks, rules, budgets and voices. */
@Injectable()
export class KeyFileStateService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly serviceAccounts: ServiceAccountRepository,
    private readonly files: KeyFileRepository,
    private readonly rules: AlertRuleRepository,
    private readonly budgets: BudgetRepository,
    private readonly aliases: VoiceAliasRepository,
    private readonly policies: KeyPolicyRepository,
  ) {}

  /** The scope of a file in an account that it names, or why that is not possible. */
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
