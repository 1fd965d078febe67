import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import type { WebhookEndpoint } from '@app/database/webhooks/webhook-endpoint.entity';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { WebhooksService, type NewWebhook, type WebhookTarget } from '../webhooks/webhooks.service';
import { entriesAt, FieldProblem, planPart, type FieldPath } from './file-part';
import type { FileWebhook } from './key-file';
import {
  findMeant,
  makeInTurn,
  making,
  type Applying,
  type FilePlan,
  type FileScope,
  type MakeChange,
} from './key-file-plan';

type Settings = Required<Omit<FileWebhook, 'id'>>;

/** Webhooks in files of keys. */
@Injectable()
export class FileWebhooksService {
  constructor(
    private readonly files: KeyFileRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  async plan({ file, account, input, at }: FileScope): Promise<FilePlan> {
    const stored = await this.files.listWebhooks(account.id);
    const targetOf = ({ id: webhookId, version }: WebhookEndpoint, { request }: Applying) => {
      return { ...request, accountId: account.id, webhookId, expected: [version] };
    };
    return planPart<'webhook', FileWebhook, WebhookEndpoint, Settings, MakeChange>({
      kind: 'webhook',
      entries: entriesAt(input?.webhooks, [...at, 'webhooks']),
      stored,
      about: (webhook) => webhook,
      settingsOf: storedSettings,
      isAdopted: ({ managedBy }) => managedBy !== file,
      isRemoved: ({ managedBy }) => managedBy === file,
      remove: (webhook) => making((applying) => this.webhooks.deleting(targetOf(webhook, applying))),
      read: (entry, path) => {
        const present = findMeant('webhook', file, entry, stored, path);
        return {
          present,
          name: entry.name,
          settings: requestedSettings(entry),
          check: ({ url }) => this.requireUrl(url, path),
          make: (after, action) => async (applying) => {
            if (!present) return this.create(after, { file, account }, applying);
            const works = [
              action === 'adopt' && ((target: WebhookTarget) => this.webhooks.managing(target, file)),
              Object.keys(after).length > 0 &&
                ((target: WebhookTarget) =>
                  this.webhooks.editing(target, after as Partial<NewWebhook> & { enabled?: boolean })),
            ];
            return makeInTurn(works, targetOf(present, applying), applying.em);
          },
        };
      },
    });
  }

  async export(accountId: string): Promise<{ webhooks: FileWebhook[]; managers: string[] }> {
    const stored = await this.files.listWebhooks(accountId);
    return {
      webhooks: stored.map((webhook) => ({ id: webhook.id, ...storedSettings(webhook) })),
      managers: stored.flatMap(({ managedBy }) => managedBy ?? []),
    };
  }

  private async create(
    settings: Partial<Settings>,
    { file, account }: Pick<FileScope, 'file' | 'account'>,
    { request, secrets, em }: Applying,
  ) {
    const { actor, reason } = request;
    const created = await this.webhooks.creating(actor, account.id, settings as NewWebhook, reason, file)(em);
    const { id, secret } = created.result;
    const of = { account: account.name, accountId: account.id, name: settings.name! };
    secrets.push({ kind: 'webhook', ...of, id, secret });
    if (settings.enabled !== false) return [created];
    const target = { ...request, accountId: account.id, webhookId: id, expected: 'any' } as const;
    return [created, await this.webhooks.editing(target, { enabled: false })(em)];
  }

  /** A URL that would be refused: a name is resolved, which takes a moment. */
  private async requireUrl(url: string | undefined, path: FieldPath): Promise<void> {
    if (url === undefined) return;
    await this.webhooks.checkUrl(url).catch((error: unknown) => {
      throw error instanceof DomainError ? new FieldProblem([...path, 'url'], error.message) : error;
    });
  }
}

function requestedSettings({ name, url, events, enabled }: FileWebhook): Partial<Settings> {
  const href = URL.canParse(url) ? new URL(url).href : url;
  return { name, url: href, events: [...new Set(events)].sort(), ...(enabled !== undefined && { enabled }) };
}

function storedSettings({ name, url, events, disabledAt }: WebhookEndpoint): Settings {
  return { name, url, events: [...events].sort(), enabled: disabledAt === null };
}
