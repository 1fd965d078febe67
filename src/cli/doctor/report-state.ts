import type { AppConfig } from '@app/config/app-config';
import { planPublications } from '@app/database/cells/report-publication';
import { bytesBehind, listSubscriptions } from '@app/database/cells/report-state';
import { appliedMigrations } from '@app/database/schema/earlier-schema';
import type { ReportState } from '@app/domain/common/backend-check';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';

/** A server confirms what it has after 10 s at the latest. */
const CONFIRMED_MS = 15_000;
const POLL_MS = 100;

/** What a reporting database has of the cells, and how long it took to have what this cell has written. */
export async function readReportState(
  { cell: own }: Pick<AppConfig, 'cell'>,
  cell: DataSource,
  report: DataSource,
): Promise<ReportState> {
  const lag = await measureLag(own, cell);
  const [plans, inCell, inReport] = [
    await planPublications(cell),
    await appliedMigrations(cell),
    await appliedMigrations(report),
  ];
  return {
    own,
    ...lag,
    cells: await listSubscriptions(report),
    lacking: plans.flatMap(({ exists, lacking, publication: { tables } }) =>
      exists ? lacking : tables.map(({ name }) => name),
    ),
    migrations: {
      onlyCell: inCell.filter((name) => !inReport.includes(name)),
      onlyReport: inReport.filter((name) => !inCell.includes(name)),
    },
  };
}

/** Waits until what the cell has written by now is confirmed. */
async function measureLag(
  own: string,
  cell: DataSource,
): Promise<Pick<ReportState, 'behindSecs' | 'bytesBehind'>> {
  const [written] = await cell.query<{ lsn: string }[]>('SELECT pg_current_wal_lsn() AS lsn');
  const startedAtMs = performance.now();
  for (;;) {
    const bytes = await bytesBehind(cell, own, written!.lsn);
    const waitedMs = performance.now() - startedAtMs;
    if (bytes === 0) return { bytesBehind: 0, behindSecs: waitedMs / 1_000 };
    if (bytes === null || waitedMs > CONFIRMED_MS) return { bytesBehind: bytes, behindSecs: null };
    await delay(POLL_MS);
  }
}
