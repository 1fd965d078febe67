import { AlertMessages } from '@app/alerts/alert-messages';
import { ContactSecrets } from '@app/alerts/contact-secrets';
import { AppConfig } from '@app/config/app-config';
import { AccountRepository } from '@app/database/accounts/account.repository';
import type { Contact } from '@app/database/alerts/contact.entity';
import { ContactRepository, type ContactPatch } from '@app/database/alerts/contact.repository';
import type { ContactCategory } from '@app/domain/alerts/alert-kinds';
import type { ContactChannel } from '@app/domain/alerts/alert-rule';
import { DomainError } from '@app/domain/errors';
import { checkedUrl } from '@app/webhooks/checked-url';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { bySystem, type AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import { changing, difference, type ChangeRequest, type Edit, type Locked } from '../audit/locked-change';
import { lockOwner } from './alert-owner';
import type { AuditEntry } from '../audit/audit-log';

const MAX_CONTACTS = 50;

/** Which contact a change is about, and who makes it; the account is null for a contact of the installation. */
export interface ContactTarget extends ChangeRequest {
  accountId: string | null;
  contactId: string;
}

/** What can be chosen for a contact. Quiet hours have all three parts, or none. */
export interface ContactSettings {
  name: string;
  categories: ContactCategory[];
  quietFrom: number | null;
  quietTo: number | null;
  timeZone: string | null;
  gatherMinutes: number;
}

/** A contact as it is added: with an e-mail address, or with the URL of a hook. */
export type NewContact = ContactSettings &
  ({ channel: 'email'; email: string } | { channel: 'chat'; url: string });

/** What an edit sets; undefined leaves it as it is. `subscribed` brings back a contact that has unsubscribed. */
export type ContactEdit = Partial<ContactSettings> & { email?: string; url?: string; subscribed?: true };

type Patch = ContactPatch | 'delete';

/** Who is notified about an account or about the installation: every change audited in the same transaction. */
@Injectable()
export class ContactsService {
  constructor(
    private readonly config: AppConfig,
    private readonly changes: AuditedChanges,
    private readonly accounts: AccountRepository,
    private readonly contacts: ContactRepository,
    private readonly secrets: ContactSecrets,
    private readonly messages: AlertMessages,
  ) {}

  /** Without one, contacts that are reached by e-mail receive nothing. */
  get hasMailServer(): boolean {
    return this.config.mail !== undefined;
  }

  /** @throws DomainError for an unknown account */
  async list(accountId: string | null): Promise<Contact[]> {
    if (accountId !== null) await this.accounts.get(accountId);
    return this.contacts.list(accountId);
  }

  async get(accountId: string | null, contactId: string): Promise<Contact> {
    const contact = await this.contacts.find(contactId);
    if (!contact || contact.accountId !== accountId) throw contactNotFound(contactId);
    return contact;
  }

  /** Adds a contact; its id. */
  async create(
    actor: AuditActor,
    accountId: string | null,
    { channel, ...input }: NewContact,
    reason: string | null,
  ): Promise<string> {
    const id = randomUUID();
    const { email, url, ...settings } = withSortedCategories(input as ContactEdit & ContactSettings);
    const stored = {
      id,
      accountId,
      channel,
      ...settings,
      email: email ?? null,
      ...(await this.seal(id, url)),
    };
    await this.changes.make(async (em) => {
      await lockOwner(this.accounts, accountId, em);
      await this.refuseTooMany(accountId, em);
      await this.refuseSecond({ accountId, contactId: id }, { email, url }, em);
      await this.contacts.insert(stored, em);
      const after = { channel, ...auditedOf(stored) };
      const event: AuditEntry = {
        actor,
        action: 'contact.added',
        target: auditTarget(id, accountId),
        after,
        reason,
      };
      return { result: undefined, events: [event] };
    });
    return id;
  }

  /** Changes a contact. Its address may only be replaced by one of the same channel. */
  async edit(target: ContactTarget, { url, subscribed, ...requested }: ContactEdit): Promise<void> {
    const sealed = url === undefined ? {} : await this.seal(target.contactId, url);
    await this.changes.make(
      changing(
        target,
        (em) => this.lock(target, em),
        async (contact, em) => {
          refuseOtherChannel(contact.channel, { email: requested.email, url });
          const isMoved = url !== undefined || (requested.email ?? contact.email) !== contact.email;
          if (isMoved) await this.refuseSecond(target, { email: requested.email, url }, em);
          const settings = withSortedCategories(requested);
          const before = { ...auditedOf(contact), subscribed: contact.unsubscribedAt === null };
          const after = {
            ...auditedOf({ ...contact, ...settings, ...sealed }),
            subscribed: before.subscribed || subscribed === true,
          };
          const changed = difference(before, after);
          if (Object.keys(changed.after).length === 0 && url === undefined) return null;
          const patch = { ...settings, ...sealed, ...(subscribed && { unsubscribedAt: null }) };
          return { patch, action: 'contact.edited', ...changed };
        },
      ),
    );
  }

  /** Removes a contact; what was on its way is not sent any more. */
  async remove(target: ContactTarget): Promise<void> {
    await this.changes.make(
      changing(
        target,
        (em) => this.lock(target, em),
        async (contact): Promise<Edit<Patch>> => ({
          patch: 'delete',
          action: 'contact.removed',
          before: auditedOf(contact),
        }),
      ),
    );
  }

  /** Sends a contact a test message. */
  async test(request: Omit<ContactTarget, 'expected'>): Promise<void> {
    await this.changes.make(
      changing(
        { ...request, expected: 'any' },
        (em) => this.lock(request, em),
        async (contact, em) => {
          if (contact.unsubscribedAt) throw new DomainError('contact_unsubscribed');
          await this.messages.test(contact, em);
          return { action: 'contact.tested', after: auditedOf(contact) };
        },
      ),
    );
  }

  /** Unsubscribes a contact by the link in its mails. False when it is gone or already unsubscribed. */
  async unsubscribe(contactId: string): Promise<boolean> {
    const { result } = await this.changes.make(async (em) => {
      const contact = await this.contacts.lock(contactId, em);
      if (!contact || contact.unsubscribedAt) return { result: false, events: [] };
      await this.contacts.update(contactId, { unsubscribedAt: new Date() }, em);
      const target = auditTarget(contactId, contact.accountId);
      const after = { email: contact.email };
      const event: AuditEntry = {
        actor: bySystem('unsubscribe-link'),
        action: 'contact.unsubscribed',
        target,
        after,
      };
      return { result: true, events: [event] };
    });
    return result;
  }

  private async lock(
    { accountId, contactId }: Pick<ContactTarget, 'accountId' | 'contactId'>,
    em: EntityManager,
  ): Promise<Locked<Contact, Patch>> {
    const contact = await this.contacts.lockOwned(contactId, accountId, em);
    if (!contact) throw contactNotFound(contactId);
    const { id, version } = contact;
    return {
      resource: contact,
      version,
      auditTarget: auditTarget(id, accountId),
      save: (patch) =>
        patch === 'delete' ? this.contacts.delete(id, em) : this.contacts.update(id, patch, em),
    };
  }

  private async seal(
    id: string,
    url: string | undefined,
  ): Promise<{ sealedUrl: string | null; maskedUrl: string | null }> {
    if (url === undefined) return { sealedUrl: null, maskedUrl: null };
    return this.secrets.sealUrl(id, await checkedUrl(url, this.config.webhookPrivateNetworks === 'allow'));
  }

  /** One address is one contact: else each alert would be sent to it twice. */
  private async refuseSecond(
    { accountId, contactId }: Pick<ContactTarget, 'accountId' | 'contactId'>,
    { email, url }: Pick<ContactEdit, 'email' | 'url'>,
    em: EntityManager,
  ): Promise<void> {
    await lockOwner(this.accounts, accountId, em);
    const isSame = (other: Contact) =>
      email === undefined
        ? url !== undefined && this.secrets.isUrl(other, new URL(url).href)
        : other.email === email;
    const others = (await this.contacts.list(accountId, em)).filter(({ id }) => id !== contactId);
    const same = others.find(isSame);
    const param = email === undefined ? 'url' : 'email';
    if (same) throw new DomainError('contact_exists', { name: same.name }, { param });
  }

  private async refuseTooMany(accountId: string | null, em: EntityManager): Promise<void> {
    const used = (await this.contacts.list(accountId, em)).length;
    if (used >= MAX_CONTACTS) throw new DomainError('contact_limit_reached', { used, limit: MAX_CONTACTS });
  }
}

function contactNotFound(contactId: string): DomainError {
  return new DomainError('contact_not_found', { contactId: contactId.slice(0, 100) });
}

function refuseOtherChannel(channel: ContactChannel, { email, url }: ContactEdit): void {
  if (channel === 'email' && url !== undefined)
    throw new DomainError(
      'contact_channel_fixed',
      { has: 'an e-mail address', field: 'url' },
      { param: 'url' },
    );
  if (channel === 'chat' && email !== undefined)
    throw new DomainError('contact_channel_fixed', { has: 'a hook', field: 'email' }, { param: 'email' });
}

function withSortedCategories<T extends { categories?: ContactCategory[] }>(settings: T): T {
  const { categories } = settings;
  return categories === undefined ? settings : { ...settings, categories: [...new Set(categories)].sort() };
}

function auditTarget(id: string, accountId: string | null) {
  return { type: 'contact', id, ...(accountId !== null && { accountId }) };
}

/** As the audit log keeps it: with the names of the API. */
function auditedOf(contact: ContactSettings & Pick<Contact, 'email' | 'maskedUrl'>) {
  return {
    name: contact.name,
    email: contact.email,
    url_hint: contact.maskedUrl,
    categories: contact.categories,
    quiet_from: contact.quietFrom,
    quiet_to: contact.quietTo,
    time_zone: contact.timeZone,
    gather_minutes: contact.gatherMinutes,
  };
}
