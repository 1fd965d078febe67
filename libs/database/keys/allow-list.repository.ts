import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AllowListEntry } from './allow-list-entry.entity';

/** Whose list it is: that of a key, or that of an account, which holds for all of its keys. */
export interface ListOwner {
  kind: 'key' | 'account';
  id: string;
}

/** One entry of a list. What is null is not known: it was put there with nothing but its text. */
export interface ListedEntry {
  cidr: string;
  note: string | null;
  endsAt: Date | null;
  addedBy: string | null;
  addedAt: Date | null;
}

/** A list with entries of which a note says where they come from. */
export interface NotedList extends ListOwner {
  name: string;
  accountId: string;
  accountName: string;
  /** In the order of the list. */
  addresses: string[];
  /** The notes, by address. */
  notes: Record<string, string>;
}

/**
 * What is known of allow-lists beyond `allowed_ips` of keys and accounts, which says what is enforced. Triggers keep the two in step:
 * an entry that leaves the list loses its row here, and the list that could be restored is replaced with every change.
 */
@Injectable()
export class AllowListRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The entries of a list, in its order. */
  async listEntries(
    ownerId: string,
    allowedIps: readonly string[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<ListedEntry[]> {
    const rows = await em.findBy(AllowListEntry, { keyId: ownerId });
    const known = new Map(rows.map((row) => [row.cidr, row]));
    return allowedIps.map((cidr) => {
      const { note = null, endsAt = null, addedBy = null, addedAt = null } = known.get(cidr) ?? {};
      return { cidr, note, endsAt, addedBy, addedAt };
    });
  }

  /** The lists that have an entry with one of these notes, and the entries that have one. Accounts that are closed have none. */
  async listNoted(notes: readonly string[]): Promise<NotedList[]> {
    return this.dataSource.query(
      `WITH noted AS (
         SELECT key_id AS id, jsonb_object_agg(cidr, note) AS notes FROM allow_list_entry WHERE note = ANY ($1) GROUP BY key_id
       )
       SELECT 'account' AS kind, a.id, a.name, a.id AS "accountId", a.name AS "accountName", a.allowed_ips AS addresses, n.notes
       FROM noted n JOIN account a USING (id) WHERE a.status <> 'closed' AND a.allowed_ips IS NOT NULL
       UNION ALL
       SELECT 'key', k.id, k.name, a.id, a.name, k.allowed_ips, n.notes
       FROM noted n JOIN api_key k USING (id) JOIN account a ON a.id = k.account_id
       WHERE k.deleted_at IS NULL AND a.status <> 'closed' AND k.allowed_ips IS NOT NULL
       ORDER BY "accountName", kind, name, id`,
      [notes],
    );
  }

  /** Stores what is known of the entries of a list, which must have been stored with its owner before. */
  async replaceEntries(ownerId: string, entries: readonly ListedEntry[], em: EntityManager): Promise<void> {
    await em.delete(AllowListEntry, { keyId: ownerId });
    const known = entries.flatMap(({ addedBy, addedAt, ...entry }) =>
      addedBy !== null && addedAt !== null ? [{ keyId: ownerId, ...entry, addedBy, addedAt }] : [],
    );
    await em.insert(AllowListEntry, known);
  }
}
