import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { KeySettings } from '@app/domain/keys/key-fields';
import { WebhookEndpoint } from '../webhooks/webhook-endpoint.entity';
import type { ListedEntry } from './allow-list.repository';
import { SETTING_COLUMNS } from './api-key-view';

/** A list as it is stored. */
export interface StoredFileList {
  allowedIps: string[] | null;
  /** What is known of entries of the list, by their text. */
  entries: Record<string, { note: string | null; ends_at: string | null }> | null;
}

/** A key with every setting that a file of keys may have. */
export interface StoredFileKey extends StoredFileList, KeySettings {
  allowedIps: string[] | null;
  id: string;
  version: number;
  managedBy: string | null;
  serviceAccountId: string | null;
  parentKeyIds: string[] | null;
  /** Of its newest secret. */
  secretCreatedAt: Date;
  disableReason: string | null;
}

/** Which keys or webhooks of an account a file is about: those that it names, and those that it manages. */
export interface FileScope {
  accountId: string;
  file: string;
  ids: readonly string[];
  names: readonly string[];
}

/** A lock that no other program uses on this database: the process that holds it applies a file of keys. */
const APPLY_LOCK = 7_301_974;

const COLUMNS = `k.id, k.version::int, k.managed_by AS "managedBy", k.service_account_id AS "serviceAccountId",
  k.maker_ids AS "parentKeyIds", ${SETTING_COLUMNS}, k.disable_reason AS "disableReason",
  coalesce((SELECT max(c.created_at) FROM api_key_secret c WHERE c.key_id = k.id), k.created_at) AS "secretCreatedAt",
  ${entriesOf('k')}`;

/** What is known of the entries of a list: that of the row `owner`, in SQL. */
function entriesOf(owner: string): string {
  return `CASE WHEN ${owner}.allowed_ips IS NOT NULL THEN (
    SELECT jsonb_object_agg(e.cidr, jsonb_build_object('note', e.note, 'ends_at', e.ends_at))
    FROM allow_list_entry e WHERE e.key_id = ${owner}.id
  ) END AS entries`;
}

/** What a file of keys manages. */
export interface ManagedResource {
  kind: 'key' | 'webhook';
  id: string;
  accountId: string;
}

/** Reads what files of keys are compared with. */
@Injectable()
export class KeyFileRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The keys in the scope of a file in an account, oldest first. */
  async listKeys({ accountId, file, ids, names }: FileScope): Promise<StoredFileKey[]> {
    return this.dataSource.query(
      `SELECT ${COLUMNS} FROM api_key k JOIN credit_balance b ON b.subject_id = k.id
       WHERE k.account_id = $1 AND k.deleted_at IS NULL
         AND (k.managed_by = $2 OR k.id = ANY ($3::uuid[]) OR (k.name = ANY ($4) AND k.maker_ids IS NULL))
       ORDER BY k.created_at, k.id`,
      [accountId, file, ids, names],
    );
  }

  /** Every key of an account that no key of a customer has created, oldest first, at most `limit`. */
  async listExported(accountId: string, limit: number): Promise<StoredFileKey[]> {
    return this.dataSource.query(
      `SELECT ${COLUMNS} FROM api_key k JOIN credit_balance b ON b.subject_id = k.id
       WHERE k.account_id = $1 AND k.deleted_at IS NULL AND k.maker_ids IS NULL ORDER BY k.created_at, k.id LIMIT $2`,
      [accountId, limit],
    );
  }

  /** The list of an account itself. */
  async findAccountList(accountId: string): Promise<StoredFileList> {
    const [row] = await this.dataSource.query<StoredFileList[]>(
      `SELECT a.allowed_ips AS "allowedIps", ${entriesOf('a')} FROM account a WHERE a.id = $1`,
      [accountId],
    );
    return row ?? { allowedIps: null, entries: null };
  }

  /** Accounts in which a file manages something. */
  async listManagedAccounts(file: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ accountId: string }[]>(
      `SELECT account_id AS "accountId" FROM api_key WHERE managed_by = $1 AND deleted_at IS NULL
       UNION SELECT account_id FROM webhook_endpoint WHERE managed_by = $1 ORDER BY 1`,
      [file],
    );
    return rows.map(({ accountId }) => accountId);
  }

  /** Accounts that have a key or a webhook, by their names, at most `limit`. */
  async listAccountsWithKeys(limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT a.id FROM account a
       WHERE EXISTS (SELECT FROM api_key k WHERE k.account_id = a.id AND k.deleted_at IS NULL)
          OR EXISTS (SELECT FROM webhook_endpoint w WHERE w.account_id = a.id)
       ORDER BY a.name, a.id LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Ids of the keys and webhooks that a file manages. */
  async listManaged(file: string): Promise<ManagedResource[]> {
    return this.dataSource.query(
      `SELECT 'key' AS kind, id, account_id AS "accountId" FROM api_key WHERE managed_by = $1 AND deleted_at IS NULL
       UNION ALL SELECT 'webhook', id, account_id FROM webhook_endpoint WHERE managed_by = $1`,
      [file],
    );
  }

  async listWebhooks(accountId: string): Promise<WebhookEndpoint[]> {
    return this.dataSource.manager.find(WebhookEndpoint, {
      where: { accountId },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  /**
   * Runs something while no other process applies a file. The lock ends with the connection, also when this process dies.
   *
   * @param onWait called once when another process has the lock
   */
  async whileApplying<T>(run: () => Promise<T>, onWait: () => void): Promise<T> {
    const connection = this.dataSource.createQueryRunner();
    try {
      for (let tries = 0; !(await takeLock(connection.manager)); tries += 1) {
        if (tries === 0) onWait();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return await run();
    } finally {
      await connection.query('SELECT pg_advisory_unlock($1)', [APPLY_LOCK]).catch(() => undefined);
      await connection.release();
    }
  }
}

async function takeLock(em: EntityManager): Promise<boolean> {
  const [row] = await em.query<{ taken: boolean }[]>('SELECT pg_try_advisory_lock($1) AS taken', [
    APPLY_LOCK,
  ]);
  return row!.taken;
}

/** The entries of a stored list with what is known of them. */
export function listedEntries({
  allowedIps,
  entries,
}: StoredFileList): Pick<ListedEntry, 'cidr' | 'note' | 'endsAt'>[] | null {
  return (
    allowedIps &&
    allowedIps.map((cidr) => {
      const known = entries?.[cidr];
      return { cidr, note: known?.note ?? null, endsAt: known?.ends_at ? new Date(known.ends_at) : null };
    })
  );
}
