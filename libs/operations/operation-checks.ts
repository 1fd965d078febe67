import type { AppConfig } from '@app/config/app-config';
import { lastSlot } from '@app/config/schedule';
import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import { ApiLoadRepository } from '@app/database/common/api-load.repository';
import { DatabaseDiskError, DatabaseServerRepository } from '@app/database/common/database-server.repository';
import { FreeSpaceRepository } from '@app/database/common/free-space.repository';
import { BackupRunRepository } from '@app/database/operations/backup-run.repository';
import { QueueCommandRepository } from '@app/database/queue/queue-command.repository';
import { EARLIER_SCHEMA, isOfEarlierRelease } from '@app/database/schema/earlier-schema';
import { compareMigrations, laterSchema } from '@app/database/schema/schema-state';
import { findChangedDefinitions } from '@app/database/schema/sql-definitions';
import { WorkerProcessRepository } from '@app/database/workers/worker-process.repository';
import {
  DURABLE_SETTINGS,
  evaluateClock,
  evaluateDurability,
  type Finding,
} from '@app/domain/common/backend-check';
import { chainKeyId } from '@app/domain/audit/audit-chain';
import { evaluateSigners } from '@app/domain/audit/event-signers';
import { deriveKeys } from '@app/domain/common/derived-key';
import { evaluateBackups } from '@app/domain/operations/backup-plan';
import { SILENT_SECS } from '@app/domain/common/timers';
import {
  connectionNeeds,
  evaluateCertificates,
  evaluateConnections,
  evaluatePauses,
  evaluateSpace,
  evaluateUpstream,
  evaluateWorkers,
  type HeardProcesses,
} from '@app/domain/operations/operation-check';
import { UpstreamAccount, upstreamClient, upstreamOptions } from '@app/voice-engine/upstream-account';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import type { DataSource } from 'typeorm';
import { listCertificateEnds } from './certificate-ends';
import { failed, ok, warning, type CheckTable } from './check-row';
import { readSpace } from './disk-space';

/** What is examined. */
export interface Operation {
  config: AppConfig;
  dataSource: DataSource;
  server: DatabaseServerRepository;
}

/** In seconds: what does not change from one minute to the next. */
const MINUTE = 60;
const HOUR = 3_600;

/**
 * What can go wrong while an installation runs, cheap enough to be looked at all the time. `greenroom doctor`, metrics and Home read
 * every row, `/readyz` those with `serves`. None of them changes anything.
 */
export const OPERATION_CHECKS: CheckTable<Operation> = {
  database: {
    about: 'PostgreSQL responds and takes writes',
    remedy: 'DATABASE_URL, or the server',
    serves: true,
    freshSecs: 0,
    check: checkDatabase,
  },
  disk: {
    about: 'the disk of PostgreSQL takes writes',
    remedy: 'free space where PostgreSQL has its data',
    needs: ['database'],
    serves: true,
    freshSecs: 0,
    check: checkDisk,
  },
  schema: {
    about: 'migrations and SQL functions are those of this release',
    remedy: 'greenroom migrate',
    needs: ['database'],
    freshSecs: MINUTE,
    check: checkSchema,
  },
  durability: {
    about: 'what PostgreSQL has confirmed survives a crash',
    remedy: 'fsync, full_page_writes and synchronous_commit of PostgreSQL',
    needs: ['database'],
    freshSecs: MINUTE,
    check: checkDurability,
  },
  connections: {
    about: 'connections of PostgreSQL in use, and those that all processes may open',
    remedy: 'max_connections of PostgreSQL, or fewer processes',
    needs: ['database', 'schema'],
    check: checkConnections,
  },
  space: {
    about: 'free space of DATA_DIR, the archive and the temporary folder, and when it ends at this pace',
    remedy: 'free space, or a larger disk',
    needs: ['database', 'schema'],
    freshSecs: MINUTE,
    check: checkSpace,
  },
  secret: {
    about: 'APP_SECRET is the one that the database was sealed with',
    remedy: 'APP_SECRET, or APP_SECRET_PREVIOUS',
    needs: ['database', 'schema'],
    freshSecs: MINUTE,
    check: checkSecret,
  },
  clock: {
    about: 'the clocks of this machine and of PostgreSQL',
    remedy: 'NTP on both machines',
    needs: ['database'],
    freshSecs: MINUTE,
    check: checkClock,
  },
  workers: {
    about: 'a worker is heard',
    remedy: 'greenroom worker, or greenroom workers resume',
    needs: ['database', 'schema'],
    check: checkWorkers,
  },
  pauses: {
    about: 'queues that staff have paused, and since when',
    remedy: 'resume them under Queues in the console',
    needs: ['database', 'schema'],
    check: checkPauses,
  },
  backup: {
    about: 'age of the last scheduled backup, and of its last proof',
    remedy: 'BACKUP_SCHEDULE and BACKUP_TO, then greenroom backup run',
    needs: ['database', 'schema'],
    freshSecs: MINUTE,
    check: checkBackup,
  },
  certificates: {
    about: 'certificates of variables and servers that end',
    remedy: 'a new certificate',
    freshSecs: HOUR,
    check: checkCertificates,
  },
  upstream: {
    about: 'the service of VOICE_ENGINE=elevenlabs serves, and has credits left',
    remedy: 'VOICE_ENGINE_API_KEY, or the plan there',
    freshSecs: MINUTE,
    check: checkUpstream,
  },
};

const READ_ONLY = failed(
  'The database of DATABASE_URL takes no writes: it is a standby, or set to read-only. Name the primary, or all servers: postgres://one,two/greenroom.',
);
/** SQLSTATE of a write in a read-only transaction: on a connection that is newer than the one that described the server. */
const READ_ONLY_TRANSACTION = '25006';

/** A disk that is full is another row's. */
async function checkDatabase({ server }: Operation): Promise<Finding> {
  const { version, isReadOnly } = await server.describe();
  if (isReadOnly) return READ_ONLY;
  try {
    await server.requireWritable();
  } catch (error) {
    if ((error as { code?: string }).code === READ_ONLY_TRANSACTION) return READ_ONLY;
    if (!(error instanceof DatabaseDiskError)) throw error;
  }
  return ok(`PostgreSQL ${version} responds and takes writes.`);
}

async function checkDisk({ server }: Operation): Promise<Finding> {
  try {
    await server.requireWritable();
    return ok('The disk of PostgreSQL takes writes.');
  } catch (error) {
    if (error instanceof DatabaseDiskError) return failed(error.message);
    throw error;
  }
}

/** A later release may serve already, beside this one: until it has replaced it, or is taken back. */
async function checkSchema({ dataSource }: Operation): Promise<Finding> {
  if (await isOfEarlierRelease(dataSource)) return failed(EARLIER_SCHEMA);
  const { missing, later } = await compareMigrations(dataSource);
  if (later !== null) return warning(laterSchema(later));
  if (missing.length > 0)
    return failed(`Not applied: ${missing.join(', ')}. Run "greenroom migrate", or start Greenroom.`);
  const changed = await findChangedDefinitions(dataSource);
  if (changed.length > 0)
    return failed(
      `Not applied: the SQL of ${changed.map(({ name }) => name).join(', ')}. Run "greenroom migrate", or start Greenroom.`,
    );
  return ok('All migrations are applied, and all functions are those of this release.');
}

async function checkDurability({ server }: Operation): Promise<Finding> {
  return evaluateDurability(await server.readSettings(DURABLE_SETTINGS));
}

async function checkConnections({ config, dataSource, server }: Operation): Promise<Finding> {
  const [counted, { apis, workers }] = await Promise.all([
    server.countConnections(),
    countProcesses(dataSource),
  ]);
  return evaluateConnections({ ...counted, apis, workers }, connectionNeeds(config.redisUrl !== undefined));
}

/** The processes of which a heartbeat has arrived lately. */
export async function countProcesses(dataSource: DataSource): Promise<HeardProcesses> {
  const [apis, workers] = await Promise.all([
    new ApiLoadRepository(dataSource).list(),
    new WorkerProcessRepository(dataSource).list(),
  ]);
  const silence = (heard: { silentSecs: number }[]) =>
    heard.length === 0 ? null : Math.min(...heard.map(({ silentSecs }) => silentSecs));
  // Where all ended at once, as in a database that was restored, the apis are not heard either: no worker is missed.
  const limit = SILENT_SECS + (silence(apis) ?? 0);
  const heard = workers.filter(({ silentSecs }) => silentSecs <= limit);
  return {
    apis: apis.length,
    workers: heard.length,
    quiet: heard.filter(({ quietSince }) => quietSince !== null).length,
    silentSecs: silence(workers),
  };
}

async function checkSpace({ config, dataSource }: Operation): Promise<Finding> {
  return evaluateSpace(await readSpace(config, new FreeSpaceRepository(dataSource)));
}

/** So many at the end of the log are looked at. */
const LATEST_EVENTS = 20;

async function checkSecret({ config, dataSource }: Operation): Promise<Finding> {
  const events = new AuditLogRepository(dataSource);
  const [signers, earlier] = await Promise.all([events.readSigners(LATEST_EVENTS), events.listKeys()]);
  const keys = deriveKeys(config.requireAppSecrets(), 'audit chain').map(chainKeyId);
  return evaluateSigners(signers, new Set([...keys, ...earlier.map(({ id }) => id)]));
}

async function checkClock({ server }: Operation): Promise<Finding> {
  const before = Date.now();
  const there = await server.readClock();
  return evaluateClock('the database', Math.abs(there.getTime() - (before + Date.now()) / 2) / 1_000);
}

async function checkWorkers({ dataSource }: Operation): Promise<Finding> {
  return evaluateWorkers(await countProcesses(dataSource));
}

async function checkPauses({ dataSource }: Operation): Promise<Finding> {
  const orders = await new QueueCommandRepository(dataSource).list();
  return evaluatePauses(orders.filter(({ isPaused }) => isPaused));
}

async function checkBackup({ config, dataSource }: Operation): Promise<Finding> {
  const { backupSchedule, backupProofDays: proofDays } = config;
  const now = new Date();
  const slot = backupSchedule === undefined ? null : lastSlot(backupSchedule, now);
  return evaluateBackups(await new BackupRunRepository(dataSource).getState(), { slot, proofDays, now });
}

async function checkCertificates({ config, server }: Operation): Promise<Finding> {
  return evaluateCertificates(await listCertificateEnds(config, server), new Date());
}

/** How long the upstream may take to say what is left; it is looked at every minute. */
const UPSTREAM_MS = 5_000;

async function checkUpstream({ config }: Operation): Promise<Finding> {
  const options = upstreamOptions(config);
  if (!options) return ok(`VOICE_ENGINE is ${config.voiceEngine}: nothing is bought elsewhere.`);
  const account = new UpstreamAccount(upstreamClient({ ...options, timeoutMs: UPSTREAM_MS }));
  try {
    return evaluateUpstream(await account.readCredits());
  } catch (error) {
    if (!(error instanceof VoiceEngineError)) throw error;
    return evaluateUpstream({ status: error.options.status ?? null, reason: error.message });
  }
}
