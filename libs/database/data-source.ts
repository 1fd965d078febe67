import { DataSource, type DataSourceOptions } from 'typeorm';
import { Account } from './accounts/account.entity';
import { AlertMessage, AlertMessageAlert } from './alerts/alert-message.entity';
import { AlertRule } from './alerts/alert-rule.entity';
import { Alert } from './alerts/alert.entity';
import { Approval } from './approvals/approval.entity';
import { AllowListEntry } from './keys/allow-list-entry.entity';
import { KeptPreset } from './keys/allow-list-preset.entity';
import { IdleKey } from './key-policies/idle-key.entity';
import { KeyPolicy } from './key-policies/key-policy.entity';
import { KeyUndo } from './keys/key-undo.entity';
import { ApiKeySecret } from './keys/api-key-secret.entity';
import { ApiKeyUse } from './keys/api-key-use.entity';
import { ApiKey } from './keys/api-key.entity';
import { BulkKeyChangeItem } from './keys/bulk-key-change-item.entity';
import { BulkKeyChange } from './keys/bulk-key-change.entity';
import { ApiProcess } from './keys/api-process.entity';
import { AuditCursor } from './audit/audit-cursor.entity';
import { AuditEvent } from './audit/audit-event.entity';
import { AuditHeadRow } from './audit/audit-head.entity';
import { AudioObject } from './voices/audio-object.entity';
import { Contact } from './alerts/contact.entity';
import { CreditBalanceHistory } from './credits/credit-balance-history.entity';
import { CreditBalance } from './credits/credit-balance.entity';
import { CreditHold } from './credits/credit-hold.entity';
import { CreditLedgerLine } from './credits/credit-ledger-line.entity';
import { IdempotentRequest } from './common/idempotent-request.entity';
import { GenerationSlot } from './traffic/generation-slot.entity';
import { KeyFindingAcceptance } from './key-safety/key-finding-acceptance.entity';
import { KeyFindingDue } from './key-safety/key-finding-due.entity';
import { KeyFinding } from './key-safety/key-finding.entity';
import { KeySafetyDay } from './key-safety/key-safety-day.entity';
import { KeySafetyPass } from './key-safety/key-safety-pass.entity';
import { KeyRefusal } from './traffic/key-refusal.entity';
import { KeyRequest } from './traffic/key-request.entity';
import { LeakReport } from './keys/leak-report.entity';
import { ObservedTraffic } from './traffic/observed-traffic.entity';
import { OutboxMessage } from './common/outbox-message.entity';
import { ReviewHold } from './reviews/review-hold.entity';
import { MeasuredSample } from './voices/measured-sample.entity';
import { QueuedReview } from './reviews/queued-review.entity';
import { PreviewPreference } from './voices/preview-preference.entity';
import { Preview } from './voices/preview.entity';
import { RoutePermission } from './traffic/route-permission.entity';
import { RateWindow } from './traffic/rate-window.entity';
import { ReviewEvent } from './voices/review-event.entity';
import { Review } from './voices/review.entity';
import { Listening } from './reviews/listening.entity';
import { VoiceComment } from './reviews/voice-comment.entity';
import { ScreeningEntryRow } from './voices/screening-entry.entity';
import { ScreeningSetting } from './voices/screening-setting.entity';
import { ReviewAppeal } from './reviews/review-appeal.entity';
import { ReviewDeskVisitor } from './reviews/review-desk-visitor.entity';
import { NoGoMatch } from './reviews/no-go-match.entity';
import { NoGoRecording } from './reviews/no-go-recording.entity';
import { RecordingFingerprintRow } from './reviews/recording-fingerprint.entity';
import { RecordingSpeaker } from './reviews/recording-speaker.entity';
import { RecordingLikeness } from './reviews/recording-likeness.entity';
import { ReviewItem } from './reviews/review-item.entity';
import { RolePolicy } from './staff/role-policy.entity';
import { ServiceAccount } from './accounts/service-account.entity';
import { ServiceCredential } from './keys/service-credential.entity';
import { SingleUseToken } from './keys/single-use-token.entity';
import { SavedView } from './staff/saved-view.entity';
import { StaffMember } from './staff/staff-member.entity';
import { VoiceSample } from './voices/voice-sample.entity';
import { Voice } from './voices/voice.entity';
import { WebhookAttempt } from './webhooks/webhook-attempt.entity';
import { WebhookDelivery } from './webhooks/webhook-delivery.entity';
import { WebhookEndpoint } from './webhooks/webhook-endpoint.entity';
import { WorkerProcess } from './common/worker-process.entity';
import { WorkerStart } from './common/worker-start.entity';
import { HistoryItem } from './history/history-item.entity';
import { HistoryPiece } from './history/history-piece.entity';
import { PostgresClient } from './common/postgres-client';
import { Passkeys1797000010000 } from './schema/1797000010000-passkeys';
import { AccountManager1797000005000 } from './schema/1797000005000-account-manager';
import { BulkKeyChanges1797000007000 } from './schema/1797000007000-bulk-key-changes';
import { ContactsAndAlerts1797000012000 } from './schema/1797000012000-contacts-and-alerts';
import { InitialSchema1797000000000 } from './schema/1797000000000-initial-schema';
import { SpeechHistory1797000001000 } from './schema/1797000001000-speech-history';
import { VoiceRecordings1797000002000 } from './schema/1797000002000-voice-recordings';
import { FindAnything1797000009000 } from './schema/1797000009000-find-anything';
import { KeySafety1797000013000 } from './schema/1797000013000-key-safety';
import { UndoOfKeySettings1797000013100 } from './schema/1797000013100-undo-of-key-settings';
import { ReviewTurns1797000015000 } from './schema/1797000015000-review-turns';
import { ReviewDesk1797000016000 } from './schema/1797000016000-review-desk';
import { ReviewHolds1797000016050 } from './schema/1797000016050-review-holds';
import { ApiLoad } from './common/api-load.entity';
import { ApiLoad1797100050200 } from './schema/1797100050200-api-load';
import { QuietWorkers1797100050100 } from './schema/1797100050100-quiet-workers';
import { Timers1797100050000 } from './schema/1797100050000-timers';
import { SameRecordings1797100060000 } from './schema/1797100060000-same-recordings';
import { VoiceTags1797100070000 } from './schema/1797100070000-voice-tags';
import { NarrowLedger1797200000000 } from './schema/1797200000000-narrow-ledger';
import { KeyRequests1797250000000 } from './schema/1797250000000-key-requests';
import { GrantedRequests1797260000000 } from './schema/1797260000000-granted-requests';
import { DueMessages1797270000000 } from './schema/1797270000000-due-messages';
import { NoGoFingerprints1797280000000 } from './schema/1797280000000-no-go-fingerprints';
import { CreditsLeft1797300000000 } from './schema/1797300000000-credits-left';
import { MeasuredSamples1797310000000 } from './schema/1797310000000-measured-samples';
import { OneWritingOfAddresses1797291000000 } from './schema/1797291000000-one-writing-of-addresses';
import { QueueOrders1797310010000 } from './schema/1797310010000-queue-orders';
import { PlainTexts1797300010000 } from './schema/1797300010000-plain-texts';
import { DeliveredMessages1797300020000 } from './schema/1797300020000-delivered-messages';
import { EndpointsThatAreGone1797310030000 } from './schema/1797310030000-endpoints-that-are-gone';
import { ReviewTurnsOfSamples1797310020000 } from './schema/1797310020000-review-turns-of-samples';
import { Speakers1797230000000 } from './schema/1797230000000-speakers';
import { QueueOrder } from './common/queue-order.entity';
import { ChangesByPolicies1797320000000 } from './schema/1797320000000-changes-by-policies';
import { VoiceOrigins1797291100000 } from './schema/1797291100000-voice-origins';
import { TimerOrder } from './common/timer-order.entity';
import { TimerRun } from './common/timer-run.entity';
import { QueueTimes1797000016060 } from './schema/1797000016060-queue-times';
import { SharedVoices1797000004000 } from './schema/1797000004000-shared-voices';
import { TagsAndExternalIds1797100010100 } from './schema/1797100010100-tags-and-external-ids';
import { BulkKeyEdits1797100010000 } from './schema/1797100010000-bulk-key-edits';
import { ReviewAppeals1797100040000 } from './schema/1797100040000-review-appeals';
import { SecondListening1797100041000 } from './schema/1797100041000-second-listening';
import { DeskDecisions1797100042000 } from './schema/1797100042000-desk-decisions';
import { AllowListPresets1797240000000 } from './schema/1797240000000-allow-list-presets';
import { Screening1797100043000 } from './schema/1797100043000-screening';
import { VoiceSafety1797000016100 } from './schema/1797000016100-voice-safety';
import { KeyPolicies1797100030000 } from './schema/1797100030000-key-policies';
import { NewCountries1797100031000 } from './schema/1797100031000-new-countries';
import { Workspace1797000003000 } from './schema/1797000003000-workspace';
import { KeysAsCode1797000014000 } from './schema/1797000014000-keys-as-code';
import { AuditStream1797000014100 } from './schema/1797000014100-audit-stream';
import { Approvals1797100020000 } from './schema/1797100020000-approvals';
import { AccountAllowLists1797100021000 } from './schema/1797100021000-account-allow-lists';
import { SnakeNamingStrategy } from './common/snake-naming.strategy';

const ENTITIES = [
  Account,
  Alert,
  AlertMessage,
  AlertMessageAlert,
  AlertRule,
  AllowListEntry,
  ApiKey,
  ApiKeySecret,
  ApiKeyUse,
  ApiProcess,
  Approval,
  AudioObject,
  AuditCursor,
  AuditEvent,
  AuditHeadRow,
  BulkKeyChange,
  BulkKeyChangeItem,
  Contact,
  CreditBalance,
  CreditBalanceHistory,
  CreditHold,
  CreditLedgerLine,
  HistoryItem,
  HistoryPiece,
  IdempotentRequest,
  GenerationSlot,
  KeyFinding,
  KeyFindingAcceptance,
  KeyFindingDue,
  KeyRefusal,
  KeyRequest,
  KeySafetyDay,
  KeySafetyPass,
  IdleKey,
  KeptPreset,
  KeyPolicy,
  KeyUndo,
  LeakReport,
  Listening,
  NoGoMatch,
  NoGoRecording,
  ObservedTraffic,
  OutboxMessage,
  Preview,
  PreviewPreference,
  MeasuredSample,
  QueuedReview,
  QueueOrder,
  RateWindow,
  RecordingFingerprintRow,
  RecordingSpeaker,
  RecordingLikeness,
  Review,
  ReviewAppeal,
  ReviewDeskVisitor,
  ReviewEvent,
  ReviewHold,
  ReviewItem,
  RolePolicy,
  RoutePermission,
  SavedView,
  ScreeningEntryRow,
  ScreeningSetting,
  ServiceAccount,
  ServiceCredential,
  SingleUseToken,
  StaffMember,
  ApiLoad,
  TimerOrder,
  TimerRun,
  Voice,
  VoiceComment,
  VoiceSample,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WorkerProcess,
  WorkerStart,
];

/** How long a connection of a pool lives, when it is not in use at the end. */
const LIFETIME_SECS = 600;

/** Every migration, in order. Listed by hand: a migration that is not here does not exist. */
export const MIGRATIONS = [
  InitialSchema1797000000000,
  SpeechHistory1797000001000,
  VoiceRecordings1797000002000,
  Workspace1797000003000,
  SharedVoices1797000004000,
  AccountManager1797000005000,
  BulkKeyChanges1797000007000,
  FindAnything1797000009000,
  Passkeys1797000010000,
  ContactsAndAlerts1797000012000,
  KeySafety1797000013000,
  UndoOfKeySettings1797000013100,
  KeysAsCode1797000014000,
  AuditStream1797000014100,
  ReviewTurns1797000015000,
  ReviewDesk1797000016000,
  ReviewHolds1797000016050,
  QueueTimes1797000016060,
  VoiceSafety1797000016100,
  BulkKeyEdits1797100010000,
  TagsAndExternalIds1797100010100,
  Approvals1797100020000,
  AccountAllowLists1797100021000,
  KeyPolicies1797100030000,
  NewCountries1797100031000,
  ReviewAppeals1797100040000,
  SecondListening1797100041000,
  DeskDecisions1797100042000,
  Screening1797100043000,
  Timers1797100050000,
  QuietWorkers1797100050100,
  ApiLoad1797100050200,
  SameRecordings1797100060000,
  VoiceTags1797100070000,
  NarrowLedger1797200000000,
  Speakers1797230000000,
  AllowListPresets1797240000000,
  KeyRequests1797250000000,
  GrantedRequests1797260000000,
  DueMessages1797270000000,
  NoGoFingerprints1797280000000,
  OneWritingOfAddresses1797291000000,
  VoiceOrigins1797291100000,
  CreditsLeft1797300000000,
  PlainTexts1797300010000,
  DeliveredMessages1797300020000,
  MeasuredSamples1797310000000,
  QueueOrders1797310010000,
  ReviewTurnsOfSamples1797310020000,
  EndpointsThatAreGone1797310030000,
  ChangesByPolicies1797320000000,
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
    extra: {
      Client: PostgresClient,
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
  return new DataSource({ ...options, extra: timeLimits ? extra : { Client: PostgresClient } });
}
