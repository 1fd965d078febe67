import { AccountRepository } from './accounts/account.repository';
import { AccountMoveRepository } from './cells/account-move.repository';
import { AlertMessageRepository } from './deliveries/alert-message.repository';
import { AlertRepository } from './alerts/alert.repository';
import { AlertRuleRepository } from './alerts/alert-rule.repository';
import { AlertWatchRepository } from './alerts/alert-watch.repository';
import { AllowListPresetRepository } from './keys/allow-list-preset.repository';
import { AllowListRepository } from './keys/allow-list.repository';
import { ApiKeySearchRepository } from './keys/api-key-search.repository';
import { ApiKeyRepository } from './keys/api-key.repository';
import { ApprovalRepository } from './approvals/approval.repository';
import { AudioObjectRepository } from './voices/audio-object.repository';
import { BulkKeyChangeRepository } from './keys/bulk-key-change.repository';
import { SealedTextRepository } from './common/sealed-text.repository';
import { AuditCursorRepository } from './audit/audit-cursor.repository';
import { UsageCursorRepository } from './credits/usage-cursor.repository';
import { AuditLogRepository } from './audit/audit-log.repository';
import { AnalyticsRepository } from './credits/analytics.repository';
import { ContactRepository } from './alerts/contact.repository';
import { BudgetRepository } from './credits/budget.repository';
import { CreditReconciliationRepository } from './credits/credit-reconciliation.repository';
import { CreditLedgerRepository } from './credits/credit-ledger.repository';
import { LedgerArchiveRepository } from './credits/ledger-archive.repository';
import { CreditRepository } from './credits/credit.repository';
import { DueDeliveryRepository } from './deliveries/due-delivery.repository';
import { DatabaseServerRepository } from './common/database-server.repository';
import { FreeSpaceRepository } from './common/free-space.repository';
import { BackupRunRepository } from './operations/backup-run.repository';
import { HistoryFingerprintRepository } from './history/history-fingerprint.repository';
import { HistoryRepository } from './history/history.repository';
import { IdempotencyRepository } from './common/idempotency.repository';
import { KeyChangeRepository } from './keys/key-change.repository';
import { KeyFindingRepository } from './key-safety/key-finding.repository';
import { KeySafetyRepository } from './key-safety/key-safety.repository';
import { KeyFileRepository } from './keys/key-file.repository';
import { IdleKeyRepository } from './key-policies/idle-key.repository';
import { KeyPolicyRepository } from './key-policies/key-policy.repository';
import { KeyUndoRepository } from './keys/key-undo.repository';
import { LeakReportRepository } from './keys/leak-report.repository';
import { ObservedTrafficRepository } from './traffic/observed-traffic.repository';
import { PreferenceRepository } from './voices/preference.repository';
import { PreviewRepository } from './voices/preview.repository';
import { ListeningRepository } from './reviews/listening.repository';
import { VoiceCommentRepository } from './reviews/voice-comment.repository';
import { ReviewAppealRepository } from './voices/review-appeal.repository';
import { MeasuredSampleRepository } from './voices/measured-sample.repository';
import { BlockedRecordingRepository } from './reviews/blocked-recording.repository';
import { RecordingFingerprintRepository } from './reviews/recording-fingerprint.repository';
import { RecordingSpeakerRepository } from './reviews/recording-speaker.repository';
import { JobHistoryRepository } from './queue/job-history.repository';
import { QueueCommandRepository } from './queue/queue-command.repository';
import { ReviewFlowRepository } from './reviews/review-flow.repository';
import { ReviewItemRepository } from './reviews/review-item.repository';
import { ServiceAccountRepository } from './accounts/service-account.repository';
import { ServiceCredentialRepository } from './keys/service-credential.repository';
import { SingleUseTokenRepository } from './keys/single-use-token.repository';
import { ManagementCredentialRepository } from './staff/management-credential.repository';
import { PasskeyRepository } from './staff/passkey.repository';
import { RolePolicyRepository } from './staff/role-policy.repository';
import { ScimRepository } from './staff/scim.repository';
import { SavedViewRepository } from './staff/saved-view.repository';
import { StaffAttemptRepository } from './staff/staff-attempt.repository';
import { StaffReviewRepository } from './reviews/staff-review.repository';
import { StaffRepository } from './staff/staff.repository';
import { VoiceAliasRepository } from './voices/voice-alias.repository';
import { VoiceChangeRepository } from './voices/voice-change.repository';
import { VoiceSearchRepository } from './voices/voice-search.repository';
import { ScreeningRepository } from './voices/screening.repository';
import { SearchRepository } from './search/search.repository';
import { SharedVoiceRepository } from './voices/shared-voice.repository';
import { UsageRepository } from './credits/usage.repository';
import { VoiceRepository } from './voices/voice.repository';
import { VoiceSafetyRepository } from './voices/voice-safety.repository';
import { WebhookDeliveryRepository } from './deliveries/webhook-delivery.repository';
import { WebhookEndpointRepository } from './webhooks/webhook-endpoint.repository';
import { QueueTimesRepository } from './reviews/queue-times.repository';
import { ReviewHoldRepository } from './reviews/review-hold.repository';
import { StaffVoiceRepository } from './voices/staff-voice.repository';
import { ApiLoadRepository } from './common/api-load.repository';
import { TimerRepository } from './timers/timer.repository';
import { WorkerProcessRepository } from './workers/worker-process.repository';

/** Every repository, as providers of the database module. */
export const REPOSITORIES = [
  AccountRepository,
  AccountMoveRepository,
  AlertMessageRepository,
  AlertRepository,
  AlertRuleRepository,
  AlertWatchRepository,
  AnalyticsRepository,
  AllowListPresetRepository,
  AllowListRepository,
  ApiKeyRepository,
  ApiKeySearchRepository,
  ApprovalRepository,
  AudioObjectRepository,
  AuditCursorRepository,
  UsageCursorRepository,
  SealedTextRepository,
  AuditLogRepository,
  BudgetRepository,
  BulkKeyChangeRepository,
  ContactRepository,
  CreditReconciliationRepository,
  CreditLedgerRepository,
  LedgerArchiveRepository,
  CreditRepository,
  DatabaseServerRepository,
  FreeSpaceRepository,
  BackupRunRepository,
  DueDeliveryRepository,
  QueueTimesRepository,
  ReviewHoldRepository,
  HistoryFingerprintRepository,
  HistoryRepository,
  IdempotencyRepository,
  KeyChangeRepository,
  KeyFindingRepository,
  KeySafetyRepository,
  KeyFileRepository,
  IdleKeyRepository,
  KeyPolicyRepository,
  KeyUndoRepository,
  LeakReportRepository,
  ListeningRepository,
  MeasuredSampleRepository,
  BlockedRecordingRepository,
  ObservedTrafficRepository,
  PreferenceRepository,
  PreviewRepository,
  ReviewAppealRepository,
  RecordingFingerprintRepository,
  RecordingSpeakerRepository,
  JobHistoryRepository,
  QueueCommandRepository,
  ReviewFlowRepository,
  ReviewItemRepository,
  ServiceAccountRepository,
  ServiceCredentialRepository,
  ScreeningRepository,
  SearchRepository,
  SharedVoiceRepository,
  SingleUseTokenRepository,
  ManagementCredentialRepository,
  PasskeyRepository,
  RolePolicyRepository,
  SavedViewRepository,
  ScimRepository,
  StaffAttemptRepository,
  StaffRepository,
  VoiceAliasRepository,
  VoiceChangeRepository,
  UsageRepository,
  VoiceCommentRepository,
  VoiceRepository,
  VoiceSafetyRepository,
  VoiceSearchRepository,
  WebhookDeliveryRepository,
  WebhookEndpointRepository,
  StaffReviewRepository,
  StaffVoiceRepository,
  ApiLoadRepository,
  TimerRepository,
  WorkerProcessRepository,
];
