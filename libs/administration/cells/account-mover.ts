import type { AuditAction } from '@app/domain/audit/audit-actions';
import type { ContactSecrets } from '@app/alerts/contact-secrets';
import type { AppConfig } from '@app/config/app-config';
import type { CreditBalances } from '@app/credits/credit-balances';
import {
  beginMoving,
  copyAccount,
  copyLedgerAhead,
  countRows,
  differingTables,
  readFigures,
  removeAccount,
  type AccountFigures,
  type CopiedAhead,
  type RowCounts,
} from '@app/database/cells/account-copy';
import { waitForWriters } from '@app/database/cells/wait-for-writers';
import { lockText } from '@app/database/common/lock-text';
import type { AccountMove } from '@app/database/cells/account-move.entity';
import type { AccountMoveRepository } from '@app/database/cells/account-move.repository';
import { MOVED_TABLES, type MovedTable } from '@app/database/cells/account-tables';
import type { WebhookSecrets } from '@app/webhooks/webhook-secrets';
import type { DataSource, EntityManager } from 'typeorm';
import { byCommandLine } from '../audit/audit-actors';
import type { AuditedChanges } from '../audit/audited-changes';
import type { AuditEntry } from '../audit/audit-log';

/** One of the two cells of a move, connected as the role that owns its tables. */
export interface Cell {
  config: AppConfig;
  dataSource: DataSource;
  changes: AuditedChanges;
  moves: AccountMoveRepository;
  balances: CreditBalances;
  webhooks: WebhookSecrets;
  contacts: ContactSecrets;
}

/** In order. After each of them the command may end: it continues from there. */
export type MoveStep = 'announced' | 'frozen' | 'drained' | 'copied' | 'removed' | 'thawed';

/** Why an account is not moved. Nothing was changed. */
export class AccountMoveError extends Error {}

export interface MovePlan {
  account: { id: string; name: string };
  from: string;
  to: string;
  /** What is stored of a move that was ended before its end; null for none. */
  state: AccountMove['state'] | null;
  counts: RowCounts;
}

export interface MovedAccount {
  counts: RowCounts;
  figures: AccountFigures;
  /** SHA-256 in upper-case hexadecimal of the secrets and tokens that go to the other cell, and the voices of the account. */
  digests: string[];
  voiceIds: string[];
}

/**
 * Moves an account from one cell to another. Its rows are in one transaction of each database: the copy commits frozen, then
 * the source removes what it has, and with that commit the account is the other cell's. A row of `account_move` in each database
 * says how far the move is; `move` continues from there, and until the source has removed its rows `cancel` reverts.
 */
export class AccountMover {
  constructor(
    private readonly source: Cell,
    private readonly target: Cell,
    private readonly onStep: (step: MoveStep) => void | Promise<void> = () => undefined,
  ) {}

  /**
   * What would be moved.
   *
   * @throws AccountMoveError when it cannot be
   */
  async plan(accountId: string): Promise<MovePlan> {
    const from = this.source.config.cell;
    const to = this.target.config.cell;
    if (from === to)
      throw new AccountMoveError(`Both installations are the cell '${from}': CELL is the same.`);
    const state = (await this.source.moves.find(accountId))?.state ?? null;
    if (state === 'left') return this.planOfLeft(accountId);
    const name = await this.source.moves.findName(accountId);
    if (name === null) throw new AccountMoveError(`There is no account ${accountId} in the cell '${from}'.`);
    await this.requireMovable(accountId);
    const counts = await countRows(accountId, this.source.dataSource.manager);
    return { account: { id: accountId, name }, from, to, state, counts };
  }

  /**
   * Moves the account, from wherever an earlier call has ended.
   *
   * @throws AccountMoveError when it cannot be moved
   */
  async move(accountId: string, reason: string): Promise<MovedAccount> {
    return this.alone(accountId, async () => {
      const { state } = await this.plan(accountId);
      if (state !== 'left') await this.copyAndRemove(accountId, reason);
      await this.thaw(accountId, reason);
      await this.onStep('thawed');
      return this.describe(accountId);
    });
  }

  /**
   * Ends a move that has not removed the account from the source: it is used there again.
   *
   * @throws AccountMoveError when the account has left already, or is not being moved
   */
  async cancel(accountId: string, reason: string): Promise<void> {
    await this.alone(accountId, () => this.revert(accountId, reason));
  }

  private async revert(accountId: string, reason: string): Promise<void> {
    const { cell } = this.source.config;
    const move = await this.source.moves.find(accountId);
    if (move?.state !== 'leaving') {
      const where = move?.state === 'left' ? `it is in the cell '${move.otherCell}'` : 'no move has begun';
      throw new AccountMoveError(`Nothing to take back to the cell '${cell}': ${where}.`);
    }
    await this.removeCopy(accountId, true);
    await this.source.changes.make(async (em) => {
      await this.setFrozen(accountId, false, this.source, em);
      await this.source.moves.save({ ...stateOf(accountId, this.source, this.target), state: 'here' }, em);
      return {
        result: undefined,
        events: [event('account.move_taken_back', accountId, reason)],
        announce: { accountId },
      };
    });
  }

  /** One command at a time moves an account: the second one waits. */
  private async alone<T>(accountId: string, run: () => Promise<T>): Promise<T> {
    return this.source.dataSource.transaction(async (em) => {
      await beginMoving(em);
      await lockText(`account_move ${accountId}`, em);
      return run();
    });
  }

  private async copyAndRemove(accountId: string, reason: string): Promise<void> {
    await this.target.moves.save(
      { ...stateOf(accountId, this.target, this.source), state: 'arriving' },
      this.target.dataSource.manager,
    );
    await this.onStep('announced');
    // What an earlier call has left may be older than what the source has.
    await this.removeCopy(accountId, false);
    const ahead = await this.inBoth((from, to) => copyLedgerAhead(accountId, from, to));
    await this.freeze(accountId, reason);
    await this.onStep('frozen');
    await waitForWriters(
      MOVED_TABLES.map(({ name }) => name),
      this.source.dataSource,
    );
    await this.onStep('drained');
    const counts = await this.copy(accountId, ahead);
    await this.onStep('copied');
    await this.remove(accountId, counts, reason);
    await this.onStep('removed');
  }

  private async freeze(accountId: string, reason: string): Promise<void> {
    if ((await this.source.moves.find(accountId))?.state === 'leaving') return;
    await this.source.changes.make(async (em) => {
      await this.setFrozen(accountId, true, this.source, em);
      await this.source.moves.save({ ...stateOf(accountId, this.source, this.target), state: 'leaving' }, em);
      const after = { cell: this.target.config.cell };
      return {
        result: undefined,
        events: [event('account.move_begun', accountId, reason, after)],
        announce: { accountId },
      };
    });
  }

  private async copy(accountId: string, ahead: CopiedAhead): Promise<RowCounts> {
    return this.inBoth(async (from, to) => {
      const counts = await copyAccount(accountId, from, to, {
        reseal: this.reseal,
        ahead,
      });
      await this.target.moves.removeDigests(accountId, to);
      requireSame(await readFigures(accountId, from), await readFigures(accountId, to));
      const differing = differingTables(counts, await countRows(accountId, to));
      if (differing.length > 0) throw new Error(`Not every row was copied: ${differing.join(', ')}.`);
      return counts;
    });
  }

  /** In one transaction of each: what the source has at one moment. */
  private async inBoth<T>(run: (from: EntityManager, to: EntityManager) => Promise<T>): Promise<T> {
    return this.source.dataSource.transaction('REPEATABLE READ', async (from) => {
      await beginMoving(from);
      return this.target.dataSource.transaction(async (to) => {
        await beginMoving(to);
        return run(from, to);
      });
    });
  }

  /** With this commit the account is the other cell's. */
  private async remove(accountId: string, copied: RowCounts, reason: string): Promise<void> {
    const { source, target } = this;
    await source.changes.make(async (em) => {
      await beginMoving(em);
      await source.moves.keepDigests(accountId, em);
      const differing = differingTables(copied, await removeAccount(accountId, em));
      if (differing.length > 0)
        throw new AccountMoveError(
          `Rows were written meanwhile, in ${differing.join(', ')}. Run the command again.`,
        );
      await source.moves.save({ ...stateOf(accountId, source, target), state: 'left' }, em);
      const after = { cell: target.config.cell, rows: copied };
      return {
        result: undefined,
        events: [event('account.moved', accountId, reason, after)],
        announce: { accountId },
      };
    });
  }

  private async thaw(accountId: string, reason: string): Promise<void> {
    const { source, target } = this;
    const move = await target.moves.find(accountId);
    if (move?.state !== 'arriving') return;
    await target.changes.make(async (em) => {
      await this.setFrozen(accountId, false, target, em);
      await target.moves.save({ ...stateOf(accountId, target, source), state: 'here' }, em);
      const digests = await target.moves.listDigests(accountId, em);
      const after = { from_cell: source.config.cell };
      return {
        result: undefined,
        events: [event('account.arrived', accountId, reason, after)],
        announce: { accountId, digests },
      };
    });
  }

  private async removeCopy(accountId: string, withMove: boolean): Promise<void> {
    await this.target.dataSource.transaction(async (em) => {
      if ((await this.target.moves.find(accountId, em))?.state !== 'arriving') return;
      await beginMoving(em);
      await removeAccount(accountId, em);
      if (withMove) await this.target.moves.remove(accountId, em);
    });
  }

  private async setFrozen(accountId: string, frozen: boolean, cell: Cell, em: EntityManager): Promise<void> {
    await cell.balances.setFrozen(accountId, frozen, em);
    await cell.moves.setFrozen(accountId, frozen, em);
  }

  private readonly reseal = ({ sealed }: MovedTable, id: string, text: string): string => {
    const { source, target } = this;
    if (sealed === 'sealed_secret') return target.webhooks.seal(id, source.webhooks.open(id, text));
    return target.contacts.seal(id, source.contacts.openUrl(id, text));
  };

  private async planOfLeft(accountId: string): Promise<MovePlan> {
    const { cell: from } = this.source.config;
    const { cell: to } = this.target.config;
    const move = await this.target.moves.find(accountId);
    const name = await this.target.moves.findName(accountId);
    const isHere = move?.state === 'arriving' || move?.state === 'here';
    if (!isHere || name === null)
      throw new AccountMoveError(
        `The account ${accountId} has left the cell '${from}', and is not in '${to}'.`,
      );
    return {
      account: { id: accountId, name },
      from,
      to,
      state: 'left',
      counts: {},
    };
  }

  private async requireMovable(accountId: string): Promise<void> {
    const { source, target } = this;
    const archived = await source.moves.findArchivedMonth(accountId);
    if (archived)
      throw new AccountMoveError(
        `The ledger of the account is archived in part. Run "greenroom archive restore ${archived}" first, and so for each month.`,
      );
    const budgets = await source.moves.listBudgets(accountId);
    if (budgets.length > 0)
      throw new AccountMoveError(
        `The account has budgets (${budgets.join(', ')}), which count by the ledger of their cell. Remove them first, and add them in the other cell.`,
      );
    const [left, right] = await Promise.all([source, target].map(({ moves }) => moves.findMigration()));
    if (left !== right)
      throw new AccountMoveError(
        `The cells have different schemas (${left} and ${right}): run the same release in both.`,
      );
    if (!sameStore(source.config, target.config))
      throw new AccountMoveError(
        'The cells keep recordings in different stores: AUDIO_STORE and S3_BUCKET have to be the same.',
      );
    await this.requireFreeExternalId(accountId);
  }

  private async requireFreeExternalId(accountId: string): Promise<void> {
    const externalId = await this.source.moves.findExternalId(accountId);
    if (externalId === null || !(await this.target.moves.isTaken(externalId, accountId))) return;
    const { cell } = this.target.config;
    throw new AccountMoveError(
      `An account of the cell '${cell}' has the external id '${externalId}' already.`,
    );
  }

  private async describe(accountId: string): Promise<MovedAccount> {
    const em = this.target.dataSource.manager;
    const { moves } = this.target;
    return {
      counts: await countRows(accountId, em),
      figures: await readFigures(accountId, em),
      digests: (await moves.listDigests(accountId, em)).map((digest) => digest.toUpperCase()),
      voiceIds: await moves.listVoices(accountId, em),
    };
  }
}

const stateOf = (accountId: string, own: Cell, other: Cell) => ({
  accountId,
  ownCell: own.config.cell,
  otherCell: other.config.cell,
});

function event(
  action: AuditAction,
  accountId: string,
  reason: string,
  after: object | null = null,
): AuditEntry {
  return {
    actor: byCommandLine(),
    action,
    target: { type: 'account', id: accountId, accountId },
    after,
    reason,
  };
}

/** Recordings in an object store stay where they are: both cells have to read the same one. */
function sameStore({ s3: left }: AppConfig, { s3: right }: AppConfig): boolean {
  return left?.bucket === right?.bucket && left?.endpoint === right?.endpoint;
}

function requireSame(source: AccountFigures, copy: AccountFigures): void {
  if (JSON.stringify(source) === JSON.stringify(copy)) return;
  throw new Error(
    `The copy has other figures: ${JSON.stringify(copy)} instead of ${JSON.stringify(source)}.`,
  );
}
