import { environmentWarnings } from '@app/config/environment-warnings';
import { Dnsmos } from '@app/audio/threads/dnsmos';
import { Ffmpeg } from '@app/audio/threads/ffmpeg';
import { chooseRuleset } from '@app/audio/threads/recording-grader';
import { SpeakerModel } from '@app/audio/threads/speaker-model';
import { createAudioStore } from '@app/audio-store/audio-store.provider';
import { createArchiveStore } from '@app/archive-store/configured-archive-store';
import { LedgerArchive } from '@app/credits/ledger-archive';
import { reconcileCredits } from '@app/credits/reconciliation';
import { listSubscriptions } from '@app/database/cells/report-state';
import { AccountMoveRepository } from '@app/database/cells/account-move.repository';
import { LedgerArchiveRepository } from '@app/database/credits/ledger-archive.repository';
import { newReplica } from '@app/database/list-reader';
import { AudioObjectRepository } from '@app/database/voices/audio-object.repository';
import { UsageCursorRepository } from '@app/database/credits/usage-cursor.repository';
import { AuditCursorRepository } from '@app/database/audit/audit-cursor.repository';
import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import { proveSession } from '@app/database/common/session-proof';
import { describeRelease } from '@app/database/schema/release';
import { examineRole } from '@app/database/common/role-check';
import { AllowListPresetRepository } from '@app/database/keys/allow-list-preset.repository';
import { AllowListRepository } from '@app/database/keys/allow-list.repository';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { missingApprovers } from '@app/domain/approvals/approvals';
import type { AuditHead } from '@app/domain/audit/audit-chain';
import {
  evaluateReplica,
  evaluateReport,
  type Finding,
  type ReplicaState,
} from '@app/domain/common/backend-check';
import { failed, ok, warning, type CheckRow, type CheckTable } from '@app/operations/check-row';
import { OPERATION_CHECKS, type Operation } from '@app/operations/operation-checks';
import { countWaitingReviews } from '@app/queue/queue-probe';
import { examineRedis, examineRedisWrites } from '@app/queue/redis-facts';
import { redisTarget } from '@app/connections/redis-client';
import type { DataSource } from 'typeorm';
import { AllowListPresets } from '../../../libs/administration/allow-lists/allow-list-presets.service';
import { AuditLog } from '../../../libs/administration/audit/audit-log';
import { SettingsService } from '../../../libs/administration/installation/settings.service';
import { withServices } from '../cli.module';
import { readSettings } from '../settings.commands';
import { checkAddress } from './check-address';
import { readReportState } from './report-state';

/** What is examined. */
export interface Installation extends Operation {
  /** Ends of days of the audit log that were exported earlier. */
  storedHeads: AuditHead[];
  /** The file of settings that they should be as, by its path. */
  settingsFile?: string;
}

/** Longer than copying an account takes. */
const STUCK_MOVE_MINUTES = 30;

/** What is stored, which no other reader of the table looks at. */
const STORED: Pick<CheckRow<Installation>, 'needs'> = { needs: ['schema', 'disk'] };

/** Every check of the doctor, in the order they are reported. None of them changes anything. */
export const CHECKS: CheckTable<Installation> = {
  release: {
    about: 'which release this is',
    remedy: '–',
    check: async () => Promise.resolve(ok(`Greenroom ${describeRelease()}.`)),
  },
  ...OPERATION_CHECKS,
  sessions: {
    about: 'each connection has a separate session',
    remedy: 'pool_mode = session of PgBouncer',
    needs: ['database'],
    check: checkSessions,
  },
  variables: {
    about: 'variables that look like a slip of the pen',
    remedy: 'their names',
    check: checkVariables,
  },
  replica: {
    about: 'the replica or reporting database that lists are read from',
    remedy: 'DATABASE_READ_URL',
    needs: ['schema'],
    check: checkReplica,
  },
  rights: {
    about: 'the rights of the role of DATABASE_URL',
    remedy: 'greenroom migrate with MIGRATION_DATABASE_URL',
    needs: ['schema'],
    check: checkRights,
  },
  queue: {
    about: 'the queues respond and take jobs',
    remedy: 'REDIS_URL, or maxmemory-policy of Redis',
    needs: ['schema', 'disk'],
    check: checkQueue,
  },
  'audit log': {
    about: 'the chain of the audit log is unbroken',
    remedy: 'docs/operations.md',
    needs: ['schema', 'secret'],
    check: checkAuditChain,
  },
  'audit stream': {
    about: 'the collector takes the audit log',
    remedy: 'AUDIT_STREAM_URL, or the collector',
    needs: ['schema'],
    check: checkAuditStream,
  },
  'usage sinks': {
    about: 'billing systems take the usage of the ledger',
    remedy: 'the account or the receiver that is named; USAGE_SINKS',
    needs: ['schema'],
    check: checkUsageSinks,
  },
  reconciliation: {
    about: 'the ledger and the balances agree',
    remedy: 'the credits of the account',
    ...STORED,
    check: checkCredits,
  },
  ledger: {
    about: 'the ledger has its coming months',
    remedy: 'a running worker',
    ...STORED,
    check: checkLedgerMonths,
  },
  moves: {
    about: 'moves of accounts that did not end',
    remedy: 'greenroom cells move',
    ...STORED,
    check: checkMoves,
  },
  archive: {
    about: 'files of archived months are intact',
    remedy: 'DATA_DIR/archive or the bucket, from a backup',
    ...STORED,
    check: checkArchive,
  },
  recordings: {
    about: 'every recording is where it should be',
    remedy: 'the audio store, from a backup',
    ...STORED,
    check: checkRecordings,
  },
  'other recordings': {
    about: 'ffmpeg decodes other recordings',
    remedy: 'FFMPEG_PATH',
    check: checkFfmpeg,
  },
  'second opinion': {
    about: 'the model of the second opinion runs',
    remedy: 'DNSMOS_MODEL_PATH',
    check: checkSecondOpinion,
  },
  speakers: { about: 'the model of speakers runs', remedy: 'SPEAKER_MODEL_PATH', check: checkSpeakers },
  presets: {
    about: 'presets of allow-lists can be read',
    remedy: 'ALLOW_LIST_PRESETS_DIR',
    needs: ['schema'],
    check: checkPresets,
  },
  approvals: {
    about: 'two people can approve what waits for a second one',
    remedy: 'members of staff, or APPROVAL_OF_…',
    needs: ['schema'],
    check: checkApprovals,
  },
  settings: {
    about: 'the settings are those of a file',
    remedy: 'greenroom settings apply',
    needs: ['schema', 'secret'],
    check: checkSettings,
  },
  address: {
    about: 'PUBLIC_URL is this installation',
    remedy: 'PUBLIC_URL and TRUSTED_PROXIES',
    check: ({ config }) => checkAddress(config),
  },
};

/** What is set and probably not as it was meant. */
async function checkVariables(): Promise<Finding> {
  const warnings = environmentWarnings();
  if (warnings.length === 0) return ok('No variable looks like a slip of the pen.');
  return { status: 'warning', detail: warnings.join(' ') };
}

/** Through what stands between, such as a pooler. */
async function checkSessions({ config }: Installation): Promise<Finding> {
  await proveSession(config.requireDatabaseUrl());
  return ok('Each connection has a separate session, and receives the notifications of others.');
}

/** A replica that does not respond is only a warning: lists are read from the primary. */
async function checkReplica({ config, dataSource }: Installation): Promise<Finding> {
  const { databaseReadUrl } = config;
  if (databaseReadUrl === undefined) return ok('None is configured: lists are read from the primary.');
  const replica = newReplica(databaseReadUrl, 'greenroom-doctor');
  try {
    await replica.initialize();
    const cells = await listSubscriptions(replica);
    if (cells.length > 0) return evaluateReport(await readReportState(config, dataSource, replica));
    return evaluateReplica(await readReplicaState(dataSource, replica));
  } catch (error) {
    return {
      status: 'warning',
      detail: `It does not respond (${(error as Error).message}): lists are read from the primary. Repair it, or unset DATABASE_READ_URL.`,
    };
  } finally {
    if (replica.isInitialized) await replica.destroy();
  }
}

/** Whether what the primary has written is there already, and else how old the newest is that is. */
async function readReplicaState(primary: DataSource, replica: DataSource): Promise<ReplicaState> {
  const [written] = await primary.query<{ lsn: string }[]>('SELECT pg_current_wal_lsn() AS lsn');
  const [row] = await replica.query<ReplicaState[]>(
    `SELECT pg_is_in_recovery() AS follows, coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) AS "isCaughtUp",
       coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8 AS "behindSecs"`,
    [written!.lsn],
  );
  return row!;
}

/** Too much is a warning: everything works. Too little is not. */
async function checkRights({ dataSource }: Installation): Promise<Finding> {
  const { role, tooMuch, tooLittle } = await examineRole(dataSource);
  if (tooLittle.length > 0)
    return failed(
      `The role ${role} of DATABASE_URL lacks ${firstOf(tooLittle)}. Run "greenroom migrate" with MIGRATION_DATABASE_URL set.`,
    );
  if (tooMuch.length === 0) return ok(`The role ${role} has what the application needs, and no more.`);
  return {
    status: 'warning',
    detail: `The role ${role} of DATABASE_URL has more rights than the application needs: it ${firstOf(tooMuch)}. See "Two roles" in docs/operations.md.`,
  };
}

const SHOWN = 8;

function firstOf(list: string[]): string {
  const more = list.length > SHOWN ? ` and ${list.length - SHOWN} more` : '';
  return `${list.slice(0, SHOWN).join(', ')}${more}`;
}

async function checkQueue({ config }: Installation): Promise<Finding> {
  const redis = redisTarget(config);
  if (!redis)
    return ok(
      `Queues are in PostgreSQL and respond (reviews in the queue: ${await countWaitingReviews(config)}).`,
    );
  const findings = [...(await examineRedis(redis)), ...(await examineRedisWrites(redis))];
  return (
    findings.find(({ status }) => status === 'failed') ??
    findings.find(({ status }) => status !== 'ok') ??
    findings[0]!
  );
}

async function checkAuditChain({ config, dataSource, storedHeads }: Installation): Promise<Finding> {
  const auditLog = new AuditLog(dataSource, new AuditLogRepository(dataSource), config);
  const verdict = await auditLog.verifyChain(storedHeads);
  if (!verdict.ok) {
    const { day, seq, problem } = verdict.broken;
    return failed(`Broken at event ${seq} of ${day}: ${problem}. Intact events before it: ${verdict.rows}.`);
  }
  const stored = storedHeads.length > 0 ? `, heads kept elsewhere that fit: ${storedHeads.length}` : '';
  return ok(`The chain is unbroken (events: ${verdict.rows}, days: ${verdict.heads.length}${stored}).`);
}

async function checkCredits({ dataSource }: Installation): Promise<Finding> {
  const { checked, breaches } = await reconcileCredits(dataSource);
  const [first] = breaches;
  if (!first) return ok(`The ledger adds up (accounts and keys times periods: ${checked}).`);
  const { subject, subjectId, periodStart, problems, ledgerUsed, balanceUsed, overLimit } = first;
  const period = periodStart.toISOString().slice(0, 10);
  return failed(
    `${breaches.length} of ${checked} do not balance. First: ${subject} ${subjectId}, period from ${period}: ${problems.join(', ')} (ledger ${ledgerUsed}, balance ${balanceUsed ?? 'none'}, over the limit by ${overLimit}). GET /admin/accounts/${first.accountId}/credits shows all of them.`,
  );
}

/** What a move has frozen is refused, also to timers that delete what has expired. */
async function checkMoves({ dataSource }: Installation): Promise<Finding> {
  const [stuck] = await new AccountMoveRepository(dataSource).listStuck(STUCK_MOVE_MINUTES);
  if (!stuck) return ok('No account is on its way between cells.');
  const { accountId, state, otherCell, changedAt } = stuck;
  const way = state === 'leaving' ? `leaving for cell ${otherCell}` : `arriving from cell ${otherCell}`;
  return failed(
    `Account ${accountId} is ${way} since ${changedAt.toISOString()}, and may be frozen. Run "greenroom cells move ${accountId}" again in the cell that it leaves, with --apply or --take-back.`,
  );
}

/** Lines are never refused: one whose month has no partition goes to a separate partition, until the month has one. */
async function checkLedgerMonths({ dataSource }: Installation): Promise<Finding> {
  const { linesElsewhere, monthsMissing } = await new LedgerArchiveRepository(dataSource).findMissing();
  if (linesElsewhere === 0 && monthsMissing === 0) return ok('The ledger has this month and the next.');
  return {
    status: 'warning',
    detail: `Of this month and the next, ${monthsMissing} have no partition in the ledger, and ${linesElsewhere} lines are in none. A running worker creates them.`,
  };
}

/** Reads every archived file. */
async function checkArchive({ config, dataSource }: Installation): Promise<Finding> {
  const months = new LedgerArchiveRepository(dataSource);
  const archived = await months.listArchived();
  const store = await createArchiveStore(config);
  const archive = new LedgerArchive(months, store);
  for (const month of archived) {
    const problem = await archive.findProblem(month);
    if (problem !== null)
      return failed(`${month.month} is archived in ${store.place}, and not as it was: ${problem}`);
  }
  if (archived.length === 0) return ok('No month of the ledger is archived.');
  return ok(
    `Months of the ledger whose files are intact and add up to what was closed: ${archived.length}, in ${store.place}.`,
  );
}

/** Twice what the expiry job waits, so that what it is about to delete is not called an orphan. */
const ORPHAN_SECS = 7_200;

async function checkRecordings({ config, dataSource }: Installation): Promise<Finding> {
  const store = await createAudioStore(config, new AudioObjectRepository(dataSource));
  const { missing, orphaned } = await store.check(ORPHAN_SECS);
  if (missing.length > 0)
    return failed(
      `Recordings that voices refer to are missing: ${missing.length}, first ${missing[0]}. Restore them from a backup.`,
    );
  if (orphaned.length > 0)
    return {
      status: 'warning',
      detail: `Recordings that nothing refers to: ${orphaned.length}, first ${orphaned[0]}. A running worker deletes them.`,
    };
  return ok('Every recording is there, and none is left over.');
}

/** Without one, what Greenroom does not decode is refused by name. */
async function checkFfmpeg({ config: { ffmpegPath: path } }: Installation): Promise<Finding> {
  const kinds = 'AAC and ALAC in MP4, AMR, 3GP, AIFF and Windows Media';
  if (path === undefined)
    return ok(`No ffmpeg is on the PATH, or FFMPEG_PATH is off: ${kinds} are refused by name.`);
  try {
    const { version, missing } = await new Ffmpeg(path).examine();
    const detail = `ffmpeg ${version} (${path}) decodes ${kinds}, in a process with limits.`;
    if (missing.length === 0) return ok(detail);
    return { status: 'warning', detail: `${detail} It has no decoder for ${missing.join(', ')}.` };
  } catch (error) {
    // What does not begin, or is ended by the time limit, says nothing about the program.
    const { killed, code } = error as { killed?: boolean; code?: unknown };
    if (killed || typeof code === 'string')
      return warning(
        `${path} has not responded in time (${typeof code === 'string' ? code : 'it was ended'}): this machine is busy. Run the doctor again.`,
      );
    return failed(
      `${path} is not ffmpeg, or cannot be run within its limits: set FFMPEG_PATH to another one, or to off.`,
    );
  }
}

async function checkSecondOpinion({ config }: Installation): Promise<Finding> {
  const { dnsmosModelPath: path, reviewRuleset } = config;
  try {
    const dnsmos = path === undefined ? null : await Dnsmos.open(path);
    await dnsmos?.close();
    const ruleset = chooseRuleset(reviewRuleset, dnsmos);
    return ok(
      dnsmos ? `The model ${dnsmos.modelName} runs; reviews go by ${ruleset}.` : 'No model is configured.',
    );
  } catch (error) {
    return failed((error as Error).message);
  }
}

async function checkSpeakers({ config: { speakerModelPath: path } }: Installation): Promise<Finding> {
  if (path === undefined) return ok('No model is configured.');
  try {
    const model = await SpeakerModel.open(path);
    await model.close();
    const { kind, size } = model.form;
    return ok(
      `The model ${model.modelName} runs: ${kind === 'bands' ? 'mel bands' : 'sound'} to ${size} numbers.`,
    );
  } catch (error) {
    return failed((error as Error).message);
  }
}

/** A collector that does not take the audit log is a warning: nothing is lost, it waits in the database. */
async function checkAuditStream({ config, dataSource }: Installation): Promise<Finding> {
  if (config.auditStreamUrl === undefined)
    return ok('None is configured: the audit log stays in the database.');
  const cursor = new AuditCursorRepository(dataSource, new AuditLogRepository(dataSource));
  const { waiting, failingSince, lastError } = await cursor.getLag();
  const { protocol, host } = new URL(config.auditStreamUrl);
  const count = waiting > 10_000 ? 'more than 10,000' : String(waiting);
  const detail = `To ${protocol}//${host} as ${config.auditStreamFormat}; events that wait: ${count}.`;
  if (failingSince === null || waiting === 0) return ok(detail);
  return {
    status: 'warning',
    detail: `${detail} Failing since ${failingSince.toISOString()}: ${lastError}.`,
  };
}

/** A receiver that does not take usage is a warning: nothing is lost, it waits in the ledger. */
async function checkUsageSinks({ config, dataSource }: Installation): Promise<Finding> {
  const cursors = new UsageCursorRepository(dataSource);
  const failing: string[] = [];
  for (const { name } of config.usageSinks) {
    const cursor = await cursors.find(name);
    const { failingSince = null, lastError } = cursor ?? {};
    if (failingSince) failing.push(`${name} fails since ${failingSince.toISOString()}: ${lastError}.`);
  }
  if (failing.length > 0) return { status: 'warning', detail: failing.join(' ') };
  return ok(`Configured: ${config.usageSinks.map(({ name }) => name).join(', ') || 'none'}.`);
}

/** A preset that is not as it should be is a warning: lists keep the blocks that they have. */
async function checkPresets({ config, dataSource }: Installation): Promise<Finding> {
  const folder = config.allowListPresetsDir;
  if (folder === undefined) return ok('No folder is configured.');
  const presets = new AllowListPresets(
    config,
    new AllowListRepository(dataSource),
    new AllowListPresetRepository(dataSource),
  );
  const problem = await presets.findFolderProblem();
  const examined = await presets.examine();
  const found = [
    ...(problem === null ? [] : [`the folder cannot be read (${problem})`]),
    ...examined.flatMap((preset) => (preset.problem === null ? [] : [`${preset.name}: ${preset.problem}`])),
    ...examined.flatMap(({ name, outdated: [first, ...more] }) =>
      first
        ? [
            `${name} has changed since it was put on ${more.length + 1} lists, first that of the ${first.kind} ${first.id}`,
          ]
        : [],
    ),
  ];
  if (found.length === 0)
    return ok(`Presets that can be read, and that no list has as they were earlier: ${examined.length}.`);
  return { status: 'warning', detail: `ALLOW_LIST_PRESETS_DIR: ${firstOf(found)}. Lists stay as they are.` };
}

/** A change that no second person can approve would wait until it expires. */
async function checkApprovals({ config: { approvals }, dataSource }: Installation): Promise<Finding> {
  const missing = missingApprovers(approvals, await new StaffRepository(dataSource).countByRole());
  if (missing.length === 0) return ok('Every change that waits for a second person can find one.');
  const notified = missing.map(
    ({ permission, kinds, people }) => `${permission} (${kinds.join(', ')}): ${people}`,
  );
  return failed(
    `Changes wait for a second person with the same permission, and fewer than two active members of staff have ${notified.join('; ')}. Add one, or unset the APPROVAL_OF_… variable.`,
  );
}

/** What staff have changed in this cell only. */
async function checkSettings({ config, settingsFile }: Installation): Promise<Finding> {
  if (settingsFile === undefined) return ok('Not compared with a file: --settings names one.');
  const changes = await withServices(config, (services) =>
    services.get(SettingsService).plan(readSettings(settingsFile)),
  );
  if (changes.length === 0) return ok(`The settings are those of ${settingsFile}.`);
  return failed(
    `Not as in ${settingsFile}: ${firstOf(changes.map(({ kind, name }) => `${kind} (${name})`))}. Run "greenroom settings plan", and then "greenroom settings apply" or change the file.`,
  );
}
