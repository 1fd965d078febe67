import { AccountRepository } from '@app/database/accounts/account.repository';
import { AlertRuleRepository, type NamedAlertRule } from '@app/database/alerts/alert-rule.repository';
import { BudgetRepository } from '@app/database/credits/budget.repository';
import { KeyFileRepository, type StoredFileKey } from '@app/database/keys/key-file.repository';
import { VoiceAliasRepository } from '@app/database/voices/voice-alias.repository';
import type { WebhookEndpoint } from '@app/database/webhooks/webhook-endpoint.entity';
import { KeyFileError } from '@app/domain/keys/key-file-error';
import { Injectable } from '@nestjs/common';
import { storedBudget } from './key-file-budgets';
import {
  countObjects,
  MAX_FILE_OBJECTS,
  type FileAccount,
  type FileAlertRule,
  type FileListEntry,
  type KeyFile,
} from './key-file';
import {
  FILE_DISABLE_REASON,
  quoted,
  storedKeySettings,
  storedList,
  storedWebhookSettings,
} from './key-file-plan';

/** A file, and the names of its accounts, which it calls by their ids. */
export interface ExportedFile {
  content: KeyFile;
  names: string[];
}

/** Writes down as a file of keys what is there now: applied as it is, it changes no setting. */
@Injectable()
export class KeyFileExportService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly files: KeyFileRepository,
    private readonly rules: AlertRuleRepository,
    private readonly budgets: BudgetRepository,
    private readonly aliases: VoiceAliasRepository,
  ) {}

  /**
   * @param name of the file; null for that of the file which manages what is exported, as a plan of another name is refused
   * @param requested accounts by id or name; empty for all that have a key or a webhook
   * @throws KeyFileError when a file cannot hold so much
   */
  async export(name: string | null, requested: readonly string[]): Promise<ExportedFile> {
    const ids =
      requested.length > 0 ? requested : await this.files.listAccountsWithKeys(MAX_FILE_OBJECTS + 1);
    const accounts: FileAccount[] = [];
    const names: string[] = [];
    const managers = new Set<string>();
    let objects = 0;
    for (const idOrName of ids) {
      const {
        name: accountName,
        managedBy,
        ...account
      } = await this.exportAccount(idOrName, MAX_FILE_OBJECTS + 1 - objects);
      objects += countObjects(account);
      if (objects > MAX_FILE_OBJECTS || accounts.length === MAX_FILE_OBJECTS) {
        throw new KeyFileError([
          `There are more than ${MAX_FILE_OBJECTS} keys and webhooks, which is more than a file can have: name the accounts that it is to be about.`,
        ]);
      }
      accounts.push(account);
      names.push(accountName);
      for (const file of managedBy) managers.add(file);
    }
    return { content: { version: 1, name: name ?? nameFor([...managers]), accounts }, names };
  }

  private async exportAccount(
    idOrName: string,
    limit: number,
  ): Promise<FileAccount & { name: string; managedBy: string[] }> {
    const account = await this.accounts.getByIdOrName(idOrName);
    const keys = await this.files.listExported(account.id, limit);
    const webhooks = await this.files.listWebhooks(account.id);
    const rules = await this.rules.list(account.id);
    const budgets = await this.budgets.list(account.id);
    const voices = await this.aliases.list(account.id, []);
    const list = storedList(await this.files.findAccountList(account.id));
    const exported = new Set<string | null>([null, ...keys.map(({ id }) => id)]);
    return {
      name: account.name,
      managedBy: [...keys, ...webhooks].flatMap(({ managedBy }) => managedBy ?? []),
      account: account.id,
      ...(list !== null && { allowed_ips: list.map(shortened) }),
      ...(keys.length > 0 && { keys: keys.map((key) => exportKey(key)) }),
      ...(webhooks.length > 0 && { webhooks: webhooks.map(exportWebhook) }),
      ...(rules.length > 0 && {
        alert_rules: rules.filter(({ keyId }) => exported.has(keyId)).map(exportRule),
      }),
      ...(budgets.length > 0 && {
        budgets: budgets.filter(({ keyId }) => exported.has(keyId)).map(storedBudget),
      }),
      ...(voices.length > 0 && { voices: voices.map(({ id, aliases }) => ({ id, aliases })) }),
    };
  }
}

/** The name of a file that nothing manages yet. */
const NEW_FILE = 'greenroom';

/** The name that a plan of the exported file accepts. */
function nameFor(managers: string[]): string {
  if (managers.length <= 1) return managers[0] ?? NEW_FILE;
  const files = managers.map(quoted).join(', ');
  throw new KeyFileError([
    `Several files of keys manage what would be exported: ${files}. Name the accounts of one of them, or the file with --name.`,
  ]);
}

/** A key that staff have disabled, say because it leaked, is exported without a word on that: a file does not enable it. */
function exportKey(key: StoredFileKey): NonNullable<FileAccount['keys']>[number] {
  const { name, permissions, allowed_ips, enabled, ...settings } = storedKeySettings(key);
  const isExplicit = enabled === true || key.disableReason === FILE_DISABLE_REASON;
  return {
    id: key.id,
    name: name!,
    ...(key.serviceAccountId !== null && { service_account: key.serviceAccountId }),
    permissions: permissions!,
    ...settings,
    allowed_ips: allowed_ips ? allowed_ips.map(shortened) : null,
    ...(isExplicit && { enabled }),
  };
}

function shortened({
  address,
  note,
  ends_at,
}: {
  address: string;
  note: string | null;
  ends_at: string | null;
}): FileListEntry {
  if (note === null && ends_at === null) return address;
  return { address, ...(note !== null && { note }), ...(ends_at !== null && { ends_at }) };
}

function exportRule({ kind, threshold, keyId, channels, enabled }: NamedAlertRule): FileAlertRule {
  return {
    kind,
    ...(threshold !== null && { threshold }),
    ...(keyId !== null && { key: keyId }),
    channels: [...channels].sort(),
    enabled,
  };
}

function exportWebhook(endpoint: WebhookEndpoint): NonNullable<FileAccount['webhooks']>[number] {
  const { name, url, enabled } = storedWebhookSettings(endpoint);
  return { id: endpoint.id, name: name!, url: url!, events: [...endpoint.events].sort(), enabled };
}
