import type { AppConfig } from '@app/config/app-config';
import { plural } from '@app/domain/common/sentences';
import { isUuid } from '@app/domain/common/uuid';
import { writeFileSync } from 'node:fs';
import {
  AccountMoveError,
  AccountMover,
  type Cell,
  type MovedAccount,
  type MovePlan,
  type MoveStep,
} from '../../../libs/administration/cells/account-mover';
import { LaunchError } from '../../launcher/launch-error';
import { withDatabase } from '../with-database';
import { readCellFile, withCell } from './cell-connection';
import { mapLines } from './map-lines';

interface MoveOptions {
  to: string;
  reason?: string;
  apply?: boolean;
  takeBack?: boolean;
  maps?: string;
}

const STEPS: Record<MoveStep, string> = {
  announced: 'The other cell knows that it comes.',
  frozen: 'Its requests get 503 now.',
  drained: 'Nothing writes to it any more.',
  copied: 'The copy is complete, and has the same figures.',
  removed: 'It has left this cell.',
  thawed: 'The other cell serves it.',
};

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** `greenroom cells move`: says what would be moved to another cell, and with `apply` moves it. */
export async function moveAccount(config: AppConfig, accountId: string, options: MoveOptions): Promise<void> {
  if (!isUuid(accountId))
    throw new LaunchError(
      `"${accountId}" is not the id of an account; give a UUID, as GET /admin/accounts shows it.`,
    );
  const { apply = false, takeBack = false, reason } = options;
  if ((apply || takeBack) && !reason)
    throw new LaunchError('--reason is missing; give what the audit logs of both cells say why.');
  if (apply && takeBack) throw new LaunchError('Give --apply or --take-back, not both.');
  const target = readCellFile(options.to);
  try {
    await withDatabase(config, (ready) =>
      withCell(ready, (from) => withCell(target, (to) => run(accountId, from, to, options))),
    );
  } catch (error) {
    if (error instanceof AccountMoveError) throw new LaunchError(error.message, { cause: error });
    throw error;
  }
}

async function run(accountId: string, from: Cell, to: Cell, options: MoveOptions): Promise<void> {
  const startedAtMs = performance.now();
  const seconds = () => ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  const mover = new AccountMover(from, to, (step) => print(`${seconds().padStart(6)} s  ${STEPS[step]}`));
  const { apply = false, takeBack = false, reason = '', maps } = options;
  if (takeBack) {
    await mover.cancel(accountId, reason);
    return print(`The account is used in the cell '${from.config.cell}' again.`);
  }
  print(describePlan(await mover.plan(accountId)));
  if (!apply) return print('Nothing was changed. With --apply it is moved.');
  const moved = await mover.move(accountId, reason);
  print(describeMoved(moved, to));
  const lines = mapLines(accountId, moved, to.config.cell);
  if (maps === undefined) return print(lines);
  writeFileSync(maps, lines);
  print(`What the proxy has to know is in ${maps}.`);
}

function describePlan({ account, from, to, state, counts }: MovePlan): string {
  const rows = Object.entries(counts).filter(([, count]) => count > 0);
  const title = `"${account.name}" (${account.id}), from the cell '${from}' to '${to}'`;
  const lines = rows.map(([table, count]) => `  ${table}: ${count}`);
  if (state === 'left') return `${title}: it has left '${from}' already.`;
  return [title, ...lines, ...(state === 'leaving' ? ['A move that was ended is continued.'] : [])].join(
    '\n',
  );
}

function describeMoved({ figures, digests, voiceIds }: MovedAccount, { config }: Cell): string {
  const { lines, ledgerUsed } = figures;
  return `In the cell '${config.cell}' it has ${plural(lines, 'line')} in the ledger, which add up to ${ledgerUsed} credits, ${plural(digests.length, 'secret')} and ${plural(voiceIds.length, 'voice')}.`;
}
