import type { AppConfig } from '@app/config/app-config';
import { createDataSource } from '@app/database/data-source';
import type { AuditHead } from '@app/domain/audit/audit-chain';
import type { Finding } from '@app/domain/common/backend-check';
import { readFileSync } from 'node:fs';
import { withDatabase } from '../with-database';
import { CHECKS, type Installation } from './checks';

interface DoctorOptions {
  heads?: string;
  settings?: string;
  json?: boolean;
}

export type Report = (Finding & { check: string })[];

/** `greenroom doctor`: examines the installation and says what is wrong with it. Exit code 1 when anything failed. */
export async function examine(config: AppConfig, { heads, settings, json }: DoctorOptions): Promise<void> {
  const storedHeads = heads === undefined ? [] : readHeads(heads);
  const report = await withDatabase(config, (ready) => runChecks(ready, storedHeads, undefined, settings), {
    examines: true,
  });
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
  process.exitCode = report.some(({ status }) => status === 'failed') ? 1 : 0;
}

/** Makes the checks with these names, one after the other. */
export async function runChecks(
  config: AppConfig,
  storedHeads: AuditHead[] = [],
  checks = Object.keys(CHECKS),
  settingsFile?: string,
): Promise<Report> {
  const url = config.requireDatabaseUrl();
  const dataSource = await createDataSource(url, 'greenroom-doctor', { timeLimits: false }).initialize();
  try {
    const report: Report = [];
    for (const check of checks) {
      report.push({ check, ...(await run(check, { config, dataSource, storedHeads, settingsFile })) });
    }
    return report;
  } finally {
    await dataSource.destroy();
  }
}

/** A check that cannot run is a failed one; the others continue. */
async function run(check: string, installation: Installation): Promise<Finding> {
  try {
    return await CHECKS[check]!(installation);
  } catch (error) {
    return { status: 'failed', detail: `It could not be examined: ${(error as Error).message}.` };
  }
}

/** The report as lines of text. */
function describe(report: Report): string {
  const lines = report.map(
    ({ check, status, detail }) => `${status.padEnd(9)}${check.padEnd(18)}${detail}\n`,
  );
  const bad = report.filter(({ status }) => status !== 'ok').length;
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
