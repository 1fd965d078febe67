import { DAY_MS } from '../common/utc-days';
import type { Finding } from '../common/backend-check';
import { durationText } from '../common/duration-text';

/** How many backups stay: the newest of each of the last days, weeks and months that have one. */
export interface BackupKeep {
  days: number;
  weeks: number;
  months: number;
}

/** `7d,4w,12m`; undefined for another text, or when nothing would stay. */
export function readBackupKeep(text: string): BackupKeep | undefined {
  const [, days, weeks, months] = /^(\d{1,3})d, ?(\d{1,3})w, ?(\d{1,3})m$/.exec(text.trim()) ?? [];
  const keep = { days: Number(days), weeks: Number(weeks), months: Number(months) };
  return keep.days + keep.weeks + keep.months > 0 ? keep : undefined;
}

/** How the name of each backup begins. */
export const BACKUP_NAME_PREFIX = 'greenroom-';

const NAME = /^greenroom-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.gz$/;

/** The name of a backup that is begun at a time: `greenroom-20261129T030000Z.tar.gz`. */
export function backupName(at: Date): string {
  return `${BACKUP_NAME_PREFIX}${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.tar.gz`;
}

/** When a backup with this name was begun; null for the name of something else. */
export function timeOfBackup(name: string): Date | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (year === undefined) return null;
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const monthOf = (at: Date) => at.toISOString().slice(0, 7);
/** The Monday that a time's week begins with, in UTC. */
const weekOf = (at: Date) => dayOf(new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * DAY_MS));

/**
 * Which backups may be deleted. What has another name is not looked at; the newest stays, and the one that was proved last.
 *
 * @param names of everything that is there
 * @param proved the one that was proved last; null when none was
 */
export function listExpiredBackups(
  names: readonly string[],
  { days, weeks, months }: BackupKeep,
  proved: string | null,
): string[] {
  const backups = names
    .flatMap((name) => {
      const at = timeOfBackup(name);
      return at === null ? [] : [{ name, at }];
    })
    .sort((one, other) => other.at.getTime() - one.at.getTime());
  const stay = new Set([proved, backups[0]?.name]);
  for (const [periodOf, most] of [
    [dayOf, days],
    [weekOf, weeks],
    [monthOf, months],
  ] as const) {
    const newest = new Map<string, string>();
    for (const { name, at } of backups) if (!newest.has(periodOf(at))) newest.set(periodOf(at), name);
    for (const name of [...newest.values()].slice(0, most)) stay.add(name);
  }
  return backups.map(({ name }) => name).filter((name) => !stay.has(name));
}

/** From an attempt that failed to the next one. */
const RETRY_MS = 15 * 60_000;

/** What is known of backups. Null for what was never. */
export interface BackupState {
  attemptedAt: Date | null;
  /** Why the last attempt failed; null when it did not, or has not ended. */
  lastError: string | null;
  succeededAt: Date | null;
  provedAt: Date | null;
  /** Why the last proof failed; null when it did not. */
  proofError: string | null;
}

/**
 * Whether a backup is to be begun: none has succeeded since the schedule wanted one, and the last attempt was not just now.
 *
 * @param slot when the schedule last wanted one
 */
export function isBackupDue(slot: Date, { attemptedAt, succeededAt }: BackupState, now: Date): boolean {
  if (succeededAt !== null && succeededAt >= slot) return false;
  if (attemptedAt === null || attemptedAt < slot) return true;
  return now.getTime() - attemptedAt.getTime() >= RETRY_MS;
}

/** Whether a backup that has just been made is to be proved. Every `Infinity` days: never. */
export function isProofDue({ provedAt, proofError }: BackupState, everyDays: number, now: Date): boolean {
  if (everyDays === Infinity) return false;
  if (provedAt === null || proofError !== null) return true;
  return now.getTime() - provedAt.getTime() >= everyDays * DAY_MS - RETRY_MS;
}

/** Longer than a backup and its second attempt take. */
const GRACE_MS = 2 * 3_600_000;

const ageOf = (at: Date, now: Date) => durationText(Math.max(0, now.getTime() - at.getTime()) / 1_000);

/**
 * Whether backups happen and are proved.
 *
 * @param slot when the schedule last wanted one; null without a schedule
 */
export function evaluateBackups(
  state: BackupState,
  { slot, proofDays, now }: { slot: Date | null; proofDays: number; now: Date },
): Finding {
  const { succeededAt, attemptedAt, lastError, provedAt, proofError } = state;
  if (slot === null)
    return {
      status: 'ok',
      detail: 'None are scheduled: BACKUP_SCHEDULE is not set. Make them elsewhere, or set it.',
    };
  const cause = lastError === null ? '' : ` The last attempt: ${lastError}`;
  const look = 'Repair that, then "greenroom backup run".';
  if (succeededAt === null && attemptedAt === null)
    return { status: 'warning', detail: 'None was made yet: a running worker begins within a minute.' };
  if (succeededAt === null && lastError === null)
    return { status: 'warning', detail: 'The first one has begun and not ended yet.' };
  if (succeededAt === null) return { status: 'failed', detail: `None has succeeded.${cause} ${look}` };
  const age = ageOf(succeededAt, now);
  if (succeededAt < slot && now.getTime() - slot.getTime() > GRACE_MS)
    return { status: 'failed', detail: `The last one that succeeded is ${age} old.${cause} ${look}` };
  const isProved = proofDays !== Infinity;
  if (isProved && proofError !== null)
    return {
      status: 'failed',
      detail: `The last proof failed: ${proofError} Older backups stay meanwhile. ${look}`,
    };
  const proof = provedAt === null ? 'none was proved' : `the last proof is ${ageOf(provedAt, now)} old`;
  const detail = `The last one is ${age} old, ${proof}.`;
  const isProofLate =
    provedAt !== null && now.getTime() - provedAt.getTime() > 2 * Math.max(1, proofDays) * DAY_MS;
  return isProofLate
    ? { status: 'warning', detail: `${detail} Run "greenroom backup prove".` }
    : { status: 'ok', detail };
}
