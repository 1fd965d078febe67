import { AccountRepository } from '@app/database/accounts/account.repository';
import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import type { FileAccount } from './key-file';
import { KeyFileAccountReader } from './key-file-account-reader';
import type { AccountState, PlanProblem } from './key-file-plan';

/** Reads what a file of keys is compared with: accounts with their keys, webhooks, rules, budgets and voices. */
@Injectable()
export class KeyFileStateService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly files: KeyFileRepository,
    private readonly states: KeyFileAccountReader,
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
    return this.states.read(file, account, { ids, names, voices: voices.map(({ id }) => id) });
  }

  /** Accounts that the file does not name, and in which it still manages something. */
  async readAbandoned(file: string, named: ReadonlySet<string>): Promise<AccountState[]> {
    const states: AccountState[] = [];
    for (const accountId of await this.files.listManagedAccounts(file)) {
      if (named.has(accountId)) continue;
      const account = (await this.accounts.find(accountId))!;
      states.push(await this.states.read(file, account, { ids: [], names: [], voices: [] }));
    }
    return states;
  }
}
