import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, Not, type EntityManager } from 'typeorm';
import { Account } from '../accounts/account.entity';
import { AccountMove } from './account-move.entity';

/** An account that has moved away, and the cell that it is in. */
export interface LeftAccount {
  accountId: string;
  cell: string;
}

/** Which accounts are on their way between this cell and another, and which have left. */
@Injectable()
export class AccountMoveRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Whether any account has come from another cell: then keys of other cells can be ours. */
  async hasArrivals(): Promise<boolean> {
    return this.dataSource.manager
      .createQueryBuilder(AccountMove, 'm')
      .where(`m.state <> 'left'`)
      .getExists();
  }

  /** The cell that an account has moved to; null for one that has not left. */
  async findLeft(accountId: string): Promise<string | null> {
    const move = await this.find(accountId);
    return move?.state === 'left' ? move.otherCell : null;
  }

  /** The account of a secret or a single-use token that has left, by its digest. */
  async findLeftBySecret(digest: string): Promise<LeftAccount | null> {
    const [row] = await this.dataSource.query<LeftAccount[]>(
      `SELECT m.account_id AS "accountId", m.other_cell AS cell
       FROM moved_secret s JOIN account_move m USING (account_id) WHERE s.digest = $1 AND m.state = 'left'`,
      [digest],
    );
    return row ?? null;
  }

  /** Moves that have not come further for so many minutes. */
  async listStuck(minutes: number): Promise<AccountMove[]> {
    return this.dataSource.manager
      .createQueryBuilder(AccountMove, 'm')
      .where(
        `m.state IN ('leaving', 'arriving') AND m.changed_at < now() - make_interval(mins => :minutes)`,
        {
          minutes,
        },
      )
      .orderBy('m.changed_at')
      .getMany();
  }

  /** How far a move is; null for an account that has never moved. */
  async find(accountId: string, em: EntityManager = this.dataSource.manager): Promise<AccountMove | null> {
    return em.findOneBy(AccountMove, { accountId });
  }

  /** Stores how far a move is. */
  async save(move: Omit<AccountMove, 'changedAt'>, em: EntityManager): Promise<void> {
    await em.upsert(AccountMove, { ...move, changedAt: new Date() }, ['accountId']);
  }

  /** Invalidates what is known of a move that has not happened. */
  async remove(accountId: string, em: EntityManager): Promise<void> {
    await em.delete(AccountMove, { accountId });
  }

  /** Freezes an account, so that nothing of it changes, or ends that. Its balance: CreditBalances.setFrozen. */
  async setFrozen(accountId: string, frozen: boolean, em: EntityManager): Promise<void> {
    await em.query(
      'UPDATE account SET frozen_at = CASE WHEN $2::boolean THEN coalesce(frozen_at, now()) END WHERE id = $1',
      [accountId, frozen],
    );
  }

  /** Remembers the secrets and the tokens of an account that leaves, for the 421. */
  async keepDigests(accountId: string, em: EntityManager): Promise<void> {
    await em.query(
      `INSERT INTO moved_secret (digest, account_id) SELECT digest, $1 FROM (${DIGESTS}) s
       ON CONFLICT (digest) DO UPDATE SET account_id = excluded.account_id`,
      [accountId],
    );
  }

  /** Of an account that arrives: it may have left before. */
  async removeDigests(accountId: string, em: EntityManager): Promise<void> {
    await em.query('DELETE FROM moved_secret WHERE account_id = $1', [accountId]);
  }

  /** SHA-256 of the secrets of an account, and of its single-use tokens that have not expired. */
  async listDigests(accountId: string, em: EntityManager): Promise<string[]> {
    const rows = await em.query<{ digest: string }[]>(DIGESTS, [accountId]);
    return rows.map(({ digest }) => digest);
  }

  /** Ids of the voices of an account, in order. */
  async listVoices(accountId: string, em: EntityManager): Promise<string[]> {
    const rows = await em.query<{ id: string }[]>('SELECT id FROM voice WHERE account_id = $1 ORDER BY id', [
      accountId,
    ]);
    return rows.map(({ id }) => id);
  }

  /** The name of an account; null when it is not here. */
  async findName(accountId: string): Promise<string | null> {
    const account = await this.dataSource.manager.findOneBy(Account, { id: accountId });
    return account?.name ?? null;
  }

  /** What another system calls an account; null for nothing. */
  async findExternalId(accountId: string): Promise<string | null> {
    const account = await this.dataSource.manager.findOneBy(Account, { id: accountId });
    return account?.externalId ?? null;
  }

  /** Whether another account than this has the external id. */
  async isTaken(externalId: string, accountId: string): Promise<boolean> {
    return this.dataSource.manager.existsBy(Account, { externalId, id: Not(accountId) });
  }

  /** A month of the ledger of an account that is archived, such as `2026-01`; null for none. */
  async findArchivedMonth(accountId: string): Promise<string | null> {
    const [row] = await this.dataSource.query<{ month: string | null }[]>(
      `SELECT to_char(min(month), 'YYYY-MM') AS month FROM ledger_closing WHERE account_id = $1`,
      [accountId],
    );
    return row?.month ?? null;
  }

  /** Names of the budgets of an account. */
  async listBudgets(accountId: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ name: string }[]>(
      'SELECT name FROM budget WHERE account_id = $1 ORDER BY name',
      [accountId],
    );
    return rows.map(({ name }) => name);
  }

  /** The newest migration of the database. */
  async findMigration(): Promise<string> {
    const [row] = await this.dataSource.query<{ name: string }[]>(
      'SELECT name FROM migration ORDER BY id DESC LIMIT 1',
    );
    return row?.name ?? 'none';
  }
}

const DIGESTS = `
  SELECT digest FROM api_key_secret WHERE key_id IN (SELECT id FROM api_key WHERE account_id = $1)
  UNION ALL
  SELECT digest FROM single_use_token
  WHERE expires_at > now() AND key_id IN (SELECT id FROM api_key WHERE account_id = $1)`;
