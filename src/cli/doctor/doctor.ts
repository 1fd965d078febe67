import type { AppConfig } from '@app/config/app-config';
import { createDataSource } from '@app/database/data-source';
import type { AuditHead } from '@app/domain/audit/audit-chain';
import { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import { runChecks, type CheckReport } from '@app/operations/check-row';
import { readFileSync } from 'node:fs';
import { withDatabase } from '../with-database';
import { CHECKS } from './checks';

interface DoctorOptions {
  heads?: string;
  settings?: string;
  json?: boolean;
}

/** `greenroom doctor`: examines the installation and says what is wrong with it. Exit code 1 when anything failed. */
export async function examine(config: AppConfig, { heads, settings, json }: DoctorOptions): Promise<void> {
  const storedHeads = heads === undefined ? [] : readHeads(heads);
  const report = await withDatabase(
    config,
    (ready) => examineDatabase(ready, storedHeads, undefined, settings),
    {
      examines: true,
    },
  );
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
  process.exitCode = report.some(({ status }) => status === 'failed') ? 1 : 0;
}

/** Makes the checks with these names, one after the other. */
export async function examineDatabase(
  config: AppConfig,
  storedHeads: AuditHead[] = [],
  checks = Object.keys(CHECKS),
  settingsFile?: string,
): Promise<CheckReport> {
  const url = config.requireDatabaseUrl();
  const dataSource = await createDataSource(url, 'greenroom-doctor', { timeLimits: false }).initialize();
  const server = new DatabaseServerRepository(dataSource);
  try {
    return await runChecks(CHECKS, { config, dataSource, server, storedHeads, settingsFile }, checks);
  } finally {
    await dataSource.destroy();
  }
}

/** The report as lines of text; what waits for the repair of another is one line. */
function describe(report: CheckReport): string {
  const skipped = report.filter(({ status }) => status === 'skipped');
  const examined = report.filter(({ status }) => status !== 'skipped');
  const lines = examined.map(
    ({ check, status, detail }) => `${status.padEnd(9)}${check.padEnd(18)}${detail}\n`,
  );
  if (skipped.length > 0)
    lines.push(
      `${'skipped'.padEnd(9)}${skipped.map(({ check }) => check).join(', ')}: these cannot be examined until that is repaired.\n`,
    );
  const bad = examined.filter(({ status }) => status !== 'ok').length;
  return `${lines.join('')}${bad === 0 ? 'Everything is healthy.' : `${bad} of ${report.length} need attention.`}\n`;
}

/** The file is the saved response of GET /admin/audit-log/heads. */
function readHeads(file: string): AuditHead[] {
  const accepted = `--heads needs a file with the response of GET /admin/audit-log/heads`;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${accepted}; ${file} cannot be read as one: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const heads = (content as { items?: unknown } | null)?.items;
  if (Array.isArray(heads) && heads.every(isHead)) return heads;
  throw new Error(`${accepted}; ${file} has no list "items" of {day, seq, hash} in it.`);
}

function isHead(value: unknown): value is AuditHead {
  const { day, seq, hash } = Object(value) as Record<string, unknown>;
  return typeof day === 'string' && Number.isSafeInteger(seq) && typeof hash === 'string';
}
