import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { Contact } from './contact.entity';

export type NewContact = Omit<Contact, 'version' | 'createdAt' | 'updatedAt' | 'unsubscribedAt'>;

/** What a change may set. */
export type ContactPatch = Partial<Omit<Contact, 'id' | 'accountId' | 'channel' | 'version' | 'createdAt'>>;

@Injectable()
export class ContactRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insert(contact: NewContact, em: EntityManager): Promise<void> {
    await em.insert(Contact, contact);
  }

  /** The contacts of an account, or with null those of the installation, oldest first. */
  async list(accountId: string | null, em: EntityManager = this.dataSource.manager): Promise<Contact[]> {
    const where = { accountId: accountId ?? IsNull() };
    return em.find(Contact, { where, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  async find(id: string, em: EntityManager = this.dataSource.manager): Promise<Contact | null> {
    return isUuid(id) ? em.findOneBy(Contact, { id }) : null;
  }

  /** A contact of this account, or with null one of the installation, its row locked; null for others, and for texts that are not ids. */
  async lockOwned(id: string, accountId: string | null, em: EntityManager): Promise<Contact | null> {
    const contact = await this.lock(id, em);
    return contact && contact.accountId === accountId ? contact : null;
  }

  /** A contact, its row locked until the transaction ends. */
  async lock(id: string, em: EntityManager): Promise<Contact | null> {
    if (!isUuid(id)) return null;
    return em.findOne(Contact, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Changes a contact and counts the change. */
  async update(id: string, patch: ContactPatch, em: EntityManager): Promise<void> {
    await em
      .createQueryBuilder()
      .update(Contact)
      .set({ ...patch, version: () => 'version + 1', updatedAt: () => 'now()' })
      .where('id = :id', { id })
      .execute();
  }

  async delete(id: string, em: EntityManager): Promise<void> {
    await em.delete(Contact, { id });
  }

  /** Recipients of alerts about these accounts: their own contacts that are not unsubscribed, and those of the installation. */
  async listRecipients(accountIds: string[], em: EntityManager): Promise<Contact[]> {
    return em
      .createQueryBuilder(Contact, 'c')
      .where('c.unsubscribed_at IS NULL AND (c.account_id IS NULL OR c.account_id = ANY (:accountIds))', {
        accountIds,
      })
      .andWhere(`NOT EXISTS (SELECT FROM account a WHERE a.id = c.account_id AND a.status = 'closed')`)
      .orderBy('c.id')
      .getMany();
  }
}
