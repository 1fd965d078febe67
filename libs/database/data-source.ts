import { DataSource, type DataSourceOptions } from 'typeorm';
import { Account } from './entities/account.entity';
import { AllowListEntry } from './entities/allow-list-entry.entity';
import { AllowListUndo } from './entities/allow-list-undo.entity';
import { ApiKeySecret } from './entities/api-key-secret.entity';
import { ApiKeyUse } from './entities/api-key-use.entity';
import { ApiKey } from './entities/api-key.entity';
import { ApiProcess } from './entities/api-process.entity';
import { AuditEvent } from './entities/audit-event.entity';
import { AuditHeadRow } from './entities/audit-head.entity';
import { AudioObject } from './entities/audio-object.entity';
import { CreditBalanceHistory } from './entities/credit-balance-history.entity';
import { CreditBalance } from './entities/credit-balance.entity';
import { CreditHold } from './entities/credit-hold.entity';
import { CreditLedgerLine } from './entities/credit-ledger-line.entity';
import { IdempotentRequest } from './entities/idempotent-request.entity';
import { GenerationSlot } from './entities/generation-slot.entity';
import { KeyRefusal } from './entities/key-refusal.entity';
import { LeakReport } from './entities/leak-report.entity';
import { ObservedTraffic } from './entities/observed-traffic.entity';
import { OutboxMessage } from './entities/outbox-message.entity';
import { PreviewPreference } from './entities/preview-preference.entity';
import { Preview } from './entities/preview.entity';
import { RateWindow } from './entities/rate-window.entity';
import { ReviewEvent } from './entities/review-event.entity';
import { Review } from './entities/review.entity';
import { RolePolicy } from './entities/role-policy.entity';
import { ServiceAccount } from './entities/service-account.entity';
import { ServiceCredential } from './entities/service-credential.entity';
import { SingleUseToken } from './entities/single-use-token.entity';
import { StaffMember } from './entities/staff-member.entity';
import { VoiceSample } from './entities/voice-sample.entity';
import { Voice } from './entities/voice.entity';
import { WebhookAttempt } from './entities/webhook-attempt.entity';
import { WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity';
import { WebhookQuotaNotice } from './entities/webhook-quota-notice.entity';
import { WorkerProcess } from './entities/worker-process.entity';
import { PostgresClient } from './postgres-client';
import { InitialSchema1797000000000 } from './schema/1797000000000-initial-schema';
import { SnakeNamingStrategy } from './snake-naming.strategy';

export const ENTITIES = [
  Account,
  AllowListEntry,
  AllowListUndo,
  ApiKey,
  ApiKeySecret,
  ApiKeyUse,
  ApiProcess,
  AudioObject,
  AuditEvent,
  AuditHeadRow,
  CreditBalance,
  CreditBalanceHistory,
  CreditHold,
  CreditLedgerLine,
  IdempotentRequest,
  GenerationSlot,
  KeyRefusal,
  LeakReport,
  ObservedTraffic,
  OutboxMessage,
  Preview,
  PreviewPreference,
  RateWindow,
  Review,
  ReviewEvent,
  RolePolicy,
  ServiceAccount,
  ServiceCredential,
  SingleUseToken,
  StaffMember,
  Voice,
  VoiceSample,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookQuotaNotice,
  WorkerProcess,
];

/** Every migration, in order. Listed by hand: a migration that is not here does not exist. */
export const MIGRATIONS = [InitialSchema1797000000000];

/**
 * Options of the connection pool to PostgreSQL.
 *
 * Time limits form a ladder, each under the next: connect 2 s, statement 5 s (server side), query 6 s (client side, for a
 * server that no longer answers), idle in a transaction 20 s (server side, for a client that is gone without a word: its
 * locks end), request 25 s.
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
    connectTimeoutMS: 2_000,
    extra: {
      Client: PostgresClient,
      statement_timeout: 5_000,
      query_timeout: 6_000,
      idle_in_transaction_session_timeout: 20_000,
    },
  };
}

/** A data source for scripts and commands; the caller initialises and destroys it. */
export function createDataSource(databaseUrl: string, applicationName: string): DataSource {
  return new DataSource(dataSourceOptions(databaseUrl, { applicationName, poolSize: 3 }));
}
