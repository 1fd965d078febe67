import { DataSource, type DataSourceOptions } from 'typeorm';
import { Account } from './accounts/account.entity';
import { AccountMove } from './cells/account-move.entity';
import { AlertRule } from './alerts/alert-rule.entity';
import { Approval } from './approvals/approval.entity';
import { AllowListEntry } from './keys/allow-list-entry.entity';
import { StoredPreset } from './keys/allow-list-preset.entity';
import { KeyPolicy } from './key-policies/key-policy.entity';
import { KeyUndo } from './keys/key-undo.entity';
import { ApiKeySecret } from './keys/api-key-secret.entity';
import { ApiKey } from './keys/api-key.entity';
import { BulkKeyChange } from './keys/bulk-key-change.entity';
import { AuditCursor } from './audit/audit-cursor.entity';
import { AuditKey } from './audit/audit-key.entity';
import { AuditEvent } from './audit/audit-event.entity';
import { AudioObject } from './voices/audio-object.entity';
import { Contact } from './alerts/contact.entity';
import { Budget } from './credits/budget.entity';
import { CreditBalanceHistory } from './credits/credit-balance-history.entity';
import { CreditLedgerLine } from './credits/credit-ledger-line.entity';
import { UsageCursor } from './credits/usage-cursor.entity';
import { IdempotentRequest } from './common/idempotent-request.entity';
import { KeyFindingAcceptance } from './key-safety/key-finding-acceptance.entity';
import { KeyFinding } from './key-safety/key-finding.entity';
import { KeySafetyDay } from './key-safety/key-safety-day.entity';
import { KeySafetyPass } from './key-safety/key-safety-pass.entity';
import { KeyRefusal } from './traffic/key-refusal.entity';
import { KeyRequest } from './traffic/key-request.entity';
import { LeakReport } from './keys/leak-report.entity';
import { OutboxMessage } from './queue/outbox-message.entity';
import { ReviewHold } from './reviews/review-hold.entity';
import { MeasuredSample } from './voices/measured-sample.entity';
import { PreviewPreference } from './voices/preview-preference.entity';
import { Preview } from './voices/preview.entity';
import { ReviewEvent } from './voices/review-event.entity';
import { Review } from './voices/review.entity';
import { VoiceComment } from './reviews/voice-comment.entity';
import { ScreeningEntryRow } from './voices/screening-entry.entity';
import { ReviewAppeal } from './voices/review-appeal.entity';
import { ManagementCredential } from './staff/management-credential.entity';
import { RolePolicy } from './staff/role-policy.entity';
import { ServiceAccount } from './accounts/service-account.entity';
import { ServiceCredential } from './keys/service-credential.entity';
import { SingleUseToken } from './keys/single-use-token.entity';
import { SavedView } from './staff/saved-view.entity';
import { StaffMember } from './staff/staff-member.entity';
import { VoiceSample } from './voices/voice-sample.entity';
import { Voice } from './voices/voice.entity';
import { WebhookAttempt } from './deliveries/webhook-attempt.entity';
import { WebhookDelivery } from './deliveries/webhook-delivery.entity';
import { WebhookEndpoint } from './webhooks/webhook-endpoint.entity';
import { WorkerProcess } from './workers/worker-process.entity';
import { HistoryItem } from './history/history-item.entity';
import { HistoryPiece } from './history/history-piece.entity';
import { PostgresPool } from './common/postgres-pool';
import { QueueCommand } from './queue/queue-command.entity';
import { TimerCommand } from './timers/timer-command.entity';
import { SnakeNamingStrategy } from './common/snake-naming.strategy';
import { InitialSchema1797325000000 } from './schema/1797325000000-initial-schema';
import { AuditKeys1797400000000 } from './schema/1797400000000-audit-keys';
import { RestorableKeys1797400010000 } from './schema/1797400010000-restorable-keys';
import { RequestsPerSecondAndDay1797400020000 } from './schema/1797400020000-requests-per-second-and-day';
import { KeysByLastFour1797400030000 } from './schema/1797400030000-keys-by-last-four';
import { VoiceAliases1797400040000 } from './schema/1797400040000-voice-aliases';
import { Budgets1797400050000 } from './schema/1797400050000-budgets';
import { EndUsers1797400065000 } from './schema/1797400065000-end-users';
import { EndUserBudgets1797400066000 } from './schema/1797400066000-end-user-budgets';
import { AccountMoves1797400310000 } from './schema/1797400310000-account-moves';
import { BudgetOperations1797400320000 } from './schema/1797400320000-budget-operations';
import { FailingReceivers1797400330000 } from './schema/1797400330000-failing-receivers';
import { RepairEditedMigrations1797500000000 } from './schema/1797500000000-repair-edited-migrations';
import { SchemaReleases1797500010000 } from './schema/1797500010000-schema-releases';
import { ManagementCredentials1797500020000 } from './schema/1797500020000-management-credentials';
import { ContactSearch1797501200000 } from './schema/1797501200000-contact-search';
import { ConcurrencyOfKeys1797501400000 } from './schema/1797501400000-concurrency-of-keys';
import { ReplicaIdentities1797501600000 } from './schema/1797501600000-replica-identities';
import { EmergencyPasswords1797501700000 } from './schema/1797501700000-emergency-passwords';
import { FreeSpace1797502100000 } from './schema/1797502100000-free-space';
import { Backups1797502200000 } from './schema/1797502200000-backups';
import { ForwardRules1797502300000 } from './schema/1797502300000-forward-rules';
import { UsageCursors1797502310000 } from './schema/1797502310000-usage-cursors';
import { ModelsAndVoicesOfKeys1797502600000 } from './schema/1797502600000-models-and-voices-of-keys';
import { AlertKinds1797503000000 } from './schema/1797503000000-alert-kinds';
import { PoliciesOfNewKeys1797503010000 } from './schema/1797503010000-policies-of-new-keys';
import { Scim1797503100000 } from './schema/1797503100000-scim';
import { HistoryFingerprints1797503200064 } from './schema/1797503200064-history-fingerprints';
import { PagesThatSendSecrets1797503600000 } from './schema/1797503600000-pages-that-send-secrets';
import { PrepaidCredits1797504100000 } from './schema/1797504100000-prepaid-credits';
import { CostsOfRefusals1797504310000 } from './schema/1797504310000-costs-of-refusals';
import { LastRefusals1797504400000 } from './schema/1797504400000-last-refusals';

/** The tables that code reads or writes as entities; of the others only SQL knows. */
const ENTITIES = [
  Account,
  AccountMove,
  AlertRule,
  AllowListEntry,
  ApiKey,
  ApiKeySecret,
  Approval,
  AudioObject,
  AuditCursor,
  AuditKey,
  AuditEvent,
  BulkKeyChange,
  Contact,
  Budget,
  CreditBalanceHistory,
  CreditLedgerLine,
  UsageCursor,
  HistoryItem,
  HistoryPiece,
  IdempotentRequest,
  KeyFinding,
  KeyFindingAcceptance,
  KeyRefusal,
  KeyRequest,
  KeySafetyDay,
  KeySafetyPass,
  StoredPreset,
  KeyPolicy,
  KeyUndo,
  LeakReport,
  OutboxMessage,
  Preview,
  PreviewPreference,
  MeasuredSample,
  QueueCommand,
  Review,
  ReviewAppeal,
  ReviewEvent,
  ReviewHold,
  ManagementCredential,
  RolePolicy,
  SavedView,
  ScreeningEntryRow,
  ServiceAccount,
  ServiceCredential,
  SingleUseToken,
  StaffMember,
  TimerCommand,
  Voice,
  VoiceComment,
  VoiceSample,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WorkerProcess,
];

/** How long a connection of a pool lives, when it is not in use at the end. */
const LIFETIME_SECS = 600;

/** Every migration, in order. Listed by hand: a migration that is not here does not exist. */
export const MIGRATIONS = [
  InitialSchema1797325000000,
  AuditKeys1797400000000,
  RestorableKeys1797400010000,
  RequestsPerSecondAndDay1797400020000,
  KeysByLastFour1797400030000,
  VoiceAliases1797400040000,
  Budgets1797400050000,
  EndUsers1797400065000,
  EndUserBudgets1797400066000,
  AccountMoves1797400310000,
  BudgetOperations1797400320000,
  FailingReceivers1797400330000,
  RepairEditedMigrations1797500000000,
  SchemaReleases1797500010000,
  ManagementCredentials1797500020000,
  ContactSearch1797501200000,
  ConcurrencyOfKeys1797501400000,
  ReplicaIdentities1797501600000,
  EmergencyPasswords1797501700000,
  FreeSpace1797502100000,
  Backups1797502200000,
  ForwardRules1797502300000,
  UsageCursors1797502310000,
  ModelsAndVoicesOfKeys1797502600000,
  AlertKinds1797503000000,
  PoliciesOfNewKeys1797503010000,
  Scim1797503100000,
  HistoryFingerprints1797503200064,
  PagesThatSendSecrets1797503600000,
  PrepaidCredits1797504100000,
  CostsOfRefusals1797504310000,
  LastRefusals1797504400000,
];

/**
 * Options of the connection pool to PostgreSQL.
 *
 * Time limits form a ladder, each under the next: connect 2 s, wait for a connection that is in use 4 s, statement 5 s (server
 * side), query 6 s (client side, for a server that does not respond), idle in a transaction 20 s (server side, for a client
 * that disappeared: its locks end), request 25 s.
 *
 * @param databaseUrl `postgres://` URL
 * @param options.applicationName shown in `pg_stat_activity`
 * @param options.poolSize connections at the most
 */
export function dataSourceOptions(
  databaseUrl: string,
  options: { applicationName: string; poolSize?: number },
): Extract<DataSourceOptions, { type: 'postgres' }> {
  return {
    type: 'postgres',
    url: databaseUrl,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
    namingStrategy: new SnakeNamingStrategy(),
    applicationName: options.applicationName,
    poolSize: options.poolSize ?? 10,
    // Migrations create the extensions that are needed.
    installExtensions: false,
    // The pool's: how long a query waits while all connections are in use.
    connectTimeoutMS: 4_000,
    driver: { Pool: PostgresPool },
    extra: {
      // After a failover or behind a balancer, connections move to where new ones go.
      maxLifetimeSeconds: LIFETIME_SECS,
      // Statements of a transaction that begin together are sent together: see `inOneTrip`.
      pipeline: true,
      statement_timeout: 5_000,
      query_timeout: 6_000,
      idle_in_transaction_session_timeout: 20_000,
    },
  };
}

/**
 * A data source for scripts and commands; the caller initialises and destroys it.
 *
 * @param options.timeLimits false for what reads or writes whole tables: only connecting is limited then
 */
export function createDataSource(
  databaseUrl: string,
  applicationName: string,
  { timeLimits = true } = {},
): DataSource {
  const { extra, ...options } = dataSourceOptions(databaseUrl, { applicationName, poolSize: 3 });
  return new DataSource({
    ...options,
    extra: timeLimits ? extra : { pipeline: true },
  });
}
