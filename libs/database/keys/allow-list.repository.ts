import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AllowListEntry } from './allow-list-entry.entity';

/** One entry of a key's list. What is null is not known: it was put there with nothing but its text. */
export interface ListedEntry {
  cidr: string;
  note: string | null;
  endsAt: Date | null;
  addedBy: string | null;
  addedAt: Date | null;
}

/**
 * What is known of allow-lists beyond `api_key.allowed_ips`, which says what is enforced. A trigger keeps the two in step:
 * an entry that leaves the list loses its row here, and the list that could be restored is replaced with every change.
 */
@Injectable()
export class AllowListRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The entries of a list, in its order. */
  async listEntries(
    keyId: string,
    allowedIps: readonly string[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<ListedEntry[]> {
    const rows = await em.findBy(AllowListEntry, { keyId });
    const known = new Map(rows.map((row) => [row.cidr, row]));
    return allowedIps.map((cidr) => {
      const { note = null, endsAt = null, addedBy = null, addedAt = null } = known.get(cidr) ?? {};
      return { cidr, note, endsAt, addedBy, addedAt };
    });
  }

  /** Stores what is known of the entries of a list, which must have been stored with the key before. */
  async replaceEntries(keyId: string, entries: readonly ListedEntry[], em: EntityManager): Promise<void> {
    await em.delete(AllowListEntry, { keyId });
    const known = entries.flatMap(({ addedBy, addedAt, ...entry }) =>
      addedBy !== null && addedAt !== null ? [{ keyId, ...entry, addedBy, addedAt }] : [],
    );
    await em.insert(AllowListEntry, known);
  }
}
