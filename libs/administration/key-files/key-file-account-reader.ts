import type { Account } from '@app/database/accounts/account.entity';
import { ServiceAccountRepository } from '@app/database/accounts/service-account.repository';
import { AlertRuleRepository } from '@app/database/alerts/alert-rule.repository';
import { BudgetRepository } from '@app/database/credits/budget.repository';
import { KeyPolicyRepository } from '@app/database/key-policies/key-policy.repository';
import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import { VoiceAliasRepository } from '@app/database/voices/voice-alias.repository';
import { Injectable } from '@nestjs/common';
import type { AccountState } from './key-file-plan';

/** Keys by id and by name, and voices by id, that a file names. */
interface Named {
  ids: string[];
  names: string[];
  voices: string[];
}

/** Reads everything of one account that a file of keys can decide. */
@Injectable()
export class KeyFileAccountReader {
  constructor(
    private readonly files: KeyFileRepository,
    private readonly rules: AlertRuleRepository,
    private readonly budgets: BudgetRepository,
    private readonly aliases: VoiceAliasRepository,
    private readonly policies: KeyPolicyRepository,
    private readonly serviceAccounts: ServiceAccountRepository,
  ) {}

  /** @param file whose keys and webhooks are read beside those that are named */
  async read(file: string, account: Account, { voices, ...keys }: Named): Promise<AccountState> {
    const { id } = account;
    return {
      account,
      list: await this.files.findAccountList(id),
      policy: await this.policies.findHolding(account),
      keys: await this.files.listKeys({ accountId: id, file, ...keys }),
      webhooks: await this.files.listWebhooks(id),
      rules: await this.rules.list(id),
      budgets: await this.budgets.list(id),
      voices: await this.aliases.list(id, voices),
      serviceAccounts: await this.serviceAccounts.list(id),
    };
  }
}
