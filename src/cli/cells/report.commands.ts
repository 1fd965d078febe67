import type { AppConfig } from '@app/config/app-config';
import {
  isLogical,
  planPublications,
  publish,
  type PublicationPlan,
} from '@app/database/cells/report-publication';
import { hasSubscription, isOfCell, prepareReport, subscribe } from '@app/database/cells/report-subscription';
import { REPORTED_TABLES } from '@app/database/cells/report-tables';
import { migrateDatabase } from '@app/database/migrate';
import { plural } from '@app/domain/common/sentences';
import type { DataSource } from 'typeorm';
import { LaunchError } from '../../launcher/launch-error';
import { checkMigrationDatabase } from '../../launcher/preflight';
import { withDatabase } from '../with-database';
import { readCellFile, withOwner } from './cell-connection';
import { toConnection } from './libpq-connection';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** `greenroom cells publish`: says what this cell would publish for a reporting database, and with `apply` publishes it. */
export async function publishCell(config: AppConfig, { apply = false }: { apply?: boolean }): Promise<void> {
  await withDatabase(config, (ready) =>
    withOwner(ready, async (dataSource) => {
      await requireLogical(dataSource, 'this cell');
      for (const plan of await planPublications(dataSource)) print(describePlan(plan));
      if (apply) await dataSource.transaction(publish);
      const published = `The cell '${config.cell}' publishes ${plural(REPORTED_TABLES.length, 'table')}.`;
      print(apply ? published : 'Nothing was changed. With --apply it is published.');
    }),
  );
}

/** `greenroom cells subscribe`: says how the reporting database would follow a cell, and with `apply` has it do so. */
export async function subscribeToCell(
  config: AppConfig,
  { from, apply = false }: { from: string; apply?: boolean },
): Promise<void> {
  const source = readCellFile(from);
  await checkMigrationDatabase(config);
  await withOwner(config, (report) =>
    withOwner(source, async (cell) => {
      await requireReport(report);
      const exists = await hasSubscription(report, source.cell);
      await requirePublished(cell, source, exists);
      print(`The reporting database ${exists ? 'follows' : 'does not follow'} the cell '${source.cell}'.`);
      if (apply) await follow(config, report, cell, source);
      else print('Nothing was changed. With --apply it follows the cell, with the newest schema.');
    }),
  );
}

async function follow(
  config: AppConfig,
  report: DataSource,
  cell: DataSource,
  source: AppConfig,
): Promise<void> {
  const applied = await migrateDatabase(config.requireMigrationDatabaseUrl(), config.requireDatabaseUrl());
  if (applied.length > 0) print(`Its schema is the newest (migrations and functions: ${applied.length}).`);
  await prepareReport(report);
  const connection = toConnection(source.requireMigrationDatabaseUrl());
  const created = await subscribe(report, cell, { cell: source.cell, connection });
  print(
    created
      ? `It follows the cell '${source.cell}' now. What the cell has is being copied; "greenroom doctor" says how far it is.`
      : `It follows the cell '${source.cell}' as this release does.`,
  );
}

async function requireLogical(dataSource: DataSource, which: string): Promise<void> {
  if (await isLogical(dataSource)) return;
  throw new LaunchError(
    `The PostgreSQL of ${which} has another wal_level than logical. Set wal_level = logical in its configuration and restart it.`,
  );
}

/** What is unique is not so any more in a reporting database: a cell must never become one. */
async function requireReport(report: DataSource): Promise<void> {
  if (await isOfCell(report))
    throw new LaunchError(
      'DATABASE_URL is the database of a cell. Give that of a reporting database: an empty one, or one that follows cells.',
    );
}

/** A cell that is followed already may be of an earlier release: its reporting database is upgraded first. */
async function requirePublished(
  cell: DataSource,
  { cell: mark }: AppConfig,
  isFollowed: boolean,
): Promise<void> {
  await requireLogical(cell, `the cell '${mark}'`);
  const plans = await planPublications(cell);
  if (plans.every(({ exists, lacking }) => exists && lacking.length === 0)) return;
  const problem = `The cell '${mark}' does not publish what this release reads. Run "greenroom cells publish --apply" in it`;
  if (!isFollowed) throw new LaunchError(`${problem} first.`);
  print(`${problem} when it is upgraded, and then this again.`);
}

function describePlan({ publication: { name, tables }, exists, lacking }: PublicationPlan): string {
  if (!exists) return `${name}: to be created, with ${plural(tables.length, 'table')}`;
  if (lacking.length === 0) return `${name}: as it should be, with ${plural(tables.length, 'table')}`;
  return `${name}: to be changed, for ${lacking.join(', ')}`;
}
