import type { Account } from '@app/database/accounts/account.entity';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { FileBudgetsService } from './file-budgets.service';
import { FileKeysService } from './file-keys.service';
import { FileListsService } from './file-lists.service';
import { FieldProblem, joinPlans, type FieldPath } from './file-part';
import { FileRulesService } from './file-rules.service';
import { FileVoicesService } from './file-voices.service';
import { FileWebhooksService } from './file-webhooks.service';
import type { FileAccount } from './key-file';
import type { FilePlan, FileScope } from './key-file-plan';

/** Accounts in files of keys, each with its parts. */
@Injectable()
export class FileAccountsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly files: KeyFileRepository,
    private readonly lists: FileListsService,
    private readonly keys: FileKeysService,
    private readonly webhooks: FileWebhooksService,
    private readonly rules: FileRulesService,
    private readonly budgets: FileBudgetsService,
    private readonly voices: FileVoicesService,
  ) {}

  /** @throws FieldProblem when there is no such account */
  async find({ account: idOrName }: FileAccount, at: FieldPath): Promise<Account> {
    const account = await this.accounts.findByIdOrName(idOrName);
    if (account) return account;
    const message = `There is no account with this id, and not exactly one with this name (given: ${JSON.stringify(idOrName)}).`;
    throw new FieldProblem([...at, 'account'], message);
  }

  /** Accounts that the file does not name, and in which it still manages something. */
  async listAbandoned(file: string, named: ReadonlySet<string>): Promise<Account[]> {
    const ids = (await this.files.listManagedAccounts(file)).filter((id) => !named.has(id));
    return Promise.all(ids.map((id) => this.accounts.get(id)));
  }

  /** Compares what a file says of an account with what is there; null for an account that it no longer names. */
  async plan(file: string, account: Account, input: FileAccount | null, at: FieldPath): Promise<FilePlan> {
    const named = input?.keys ?? [];
    const notAnId = named.findIndex(({ id }) => id !== undefined && !isUuid(id));
    if (notAnId >= 0) {
      const message = `An id of a key is a UUID (given: ${JSON.stringify(named[notAnId]!.id)}).`;
      throw new FieldProblem([...at, 'keys', notAnId, 'id'], message);
    }
    const ids = named.flatMap(({ id }) => id ?? []);
    const names = named.flatMap(({ id, name }) => (id === undefined ? [name] : []));
    const keys = await this.files.listKeys({ accountId: account.id, file, ids, names });
    const scope: FileScope = { file, account, input, at, keys };
    const plan = joinPlans([
      await this.lists.plan(scope),
      await this.keys.plan(scope),
      await this.webhooks.plan(scope),
      await this.rules.plan(scope),
      await this.budgets.plan(scope),
      await this.voices.plan(scope),
    ]);
    if (account.status !== 'closed' || plan.changes.length === 0 || plan.problems.length > 0) return plan;
    throw new FieldProblem([...at, 'account'], 'The account is closed: nothing of it can be changed.');
  }

  /**
   * An account as a file has it.
   *
   * @param limit of its keys
   * @returns with its name, and the names of the files that manage its keys and webhooks
   */
  async export(
    idOrName: string,
    limit: number,
  ): Promise<{ content: FileAccount; name: string; managers: string[] }> {
    const { id, name } = await this.accounts.getByIdOrName(idOrName);
    const { keys, managers } = await this.keys.export(id, limit);
    const { webhooks, managers: ofWebhooks } = await this.webhooks.export(id);
    const exported = new Set([null, ...keys.map((key) => key.id)]);
    const parts = {
      keys,
      webhooks,
      alert_rules: await this.rules.export(id, exported),
      budgets: await this.budgets.export(id, exported),
      voices: await this.voices.export(id),
    };
    const content = { account: id, ...(await this.lists.export(id)), ...withoutEmpty(parts) };
    return { content, name, managers: [...managers, ...ofWebhooks] };
  }
}

/** A part without entries is left out: a file does not manage it then. */
function withoutEmpty<T extends Record<string, unknown[]>>(parts: T): Partial<T> {
  return Object.fromEntries(Object.entries(parts).filter(([, { length }]) => length > 0)) as Partial<T>;
}
