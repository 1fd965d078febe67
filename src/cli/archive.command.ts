import { plural } from '@app/domain/common/sentences';
import { createArchiveStore } from '@app/archive-store/configured-archive-store';
import type { AppConfig } from '@app/config/app-config';
import { LedgerArchive } from '@app/credits/ledger-archive';
import { LedgerArchiveRepository, type LedgerMonth } from '@app/database/credits/ledger-archive.repository';
import { createDataSource } from '@app/database/data-source';
import { isPastKeeping, LedgerArchiveError, type ArchivedMonth } from '@app/domain/credits/ledger-archive';
import { LaunchError } from '../launcher/launch-error';
import { withDatabase } from './with-database';

interface Opened {
  archive: LedgerArchive;
  months: LedgerArchiveRepository;
  place: string;
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** `greenroom archive`: says which months of the ledger would become files, and with `apply` writes and deletes them. */
export async function archiveMonths(
  config: AppConfig,
  { month, apply = false }: { month?: string; apply?: boolean },
): Promise<void> {
  const { ledgerMonths } = config;
  if (month === undefined && ledgerMonths === undefined) {
    const remedy = 'Give a --month, or set LEDGER_KEPT_MONTHS to how many months stay in the database.';
    if (apply) throw new LaunchError(remedy);
    return print(`Every month stays in the database. ${remedy}`);
  }
  await withArchive(config, async ({ archive, months, place }) => {
    const isRequested = (each: string) =>
      month === undefined ? isPastKeeping(each, ledgerMonths!, new Date()) : each === month;
    const requested = (await months.listMonths()).filter((each) => isRequested(each.month));
    if (month !== undefined && requested.length === 0)
      throw new LaunchError(`The ledger has no month ${month}. "greenroom archive list" shows those it has.`);
    const problems: string[] = [];
    let possible = 0;
    for (const each of requested) {
      const problem = apply ? await applyTo(each, archive, place) : await dryRun(each, archive);
      if (problem === null) possible++;
      else problems.push(problem);
    }
    if (requested.length === 0) print('No month of the ledger is old enough.');
    if (possible > 0 && !apply)
      print(`Nothing was changed. With --apply, these months become files in ${place}.`);
    if (problems.length > 0) throw new LaunchError(problems.join(' '));
  });
}

/** Archives a month. Returns why it was not; the others may be archived all the same. */
async function applyTo(
  { month }: LedgerMonth,
  archive: LedgerArchive,
  place: string,
): Promise<string | null> {
  try {
    print(describe(await archive.archive(month), place));
    return null;
  } catch (error) {
    if (error instanceof LedgerArchiveError) return error.message;
    throw error;
  }
}

async function dryRun(
  { month, linesAbout, bytes }: LedgerMonth,
  archive: LedgerArchive,
): Promise<string | null> {
  const obstacle = await archive.findObstacle(month);
  if (obstacle !== null) return `${month}: ${obstacle}.`;
  print(`${month}: about ${plural(linesAbout, 'line')}, ${megabytes(bytes)}`);
  return null;
}

/** `greenroom archive list`. */
export async function listArchive(config: AppConfig): Promise<void> {
  await withArchive(config, async ({ months, place }) => {
    for (const { month, linesAbout, bytes } of await months.listMonths())
      print(`${month}  in the database, about ${plural(linesAbout, 'line')}, ${megabytes(bytes)}`);
    for (const archived of await months.listArchived()) print(describe(archived, place));
  });
}

/** `greenroom archive restore`. */
export async function restoreMonth(config: AppConfig, month: string): Promise<void> {
  await withArchive(config, async ({ archive }) => {
    const { lines } = await archive.restore(month);
    print(
      `${month}: ${plural(lines, 'line')} ${lines === 1 ? 'is' : 'are'} in the ledger again. The files stay where they are.`,
    );
  });
}

async function withArchive(config: AppConfig, run: (opened: Opened) => Promise<void>): Promise<void> {
  await withDatabase(config, async (ready) => {
    const url = ready.requireMigrationDatabaseUrl();
    const dataSource = await createDataSource(url, 'greenroom-archive', { timeLimits: false }).initialize();
    try {
      const months = new LedgerArchiveRepository(dataSource);
      const store = await createArchiveStore(ready);
      await run({ archive: new LedgerArchive(months, store), months, place: store.place });
    } catch (error) {
      if (error instanceof LedgerArchiveError) throw new LaunchError(error.message, { cause: error });
      throw error;
    } finally {
      await dataSource.destroy();
    }
  });
}

function describe({ month, lines, files }: ArchivedMonth, place: string): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${month}  archived, ${plural(lines, 'line')}, ${megabytes(bytes)} in ${plural(files.length, 'file')} in ${place}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
