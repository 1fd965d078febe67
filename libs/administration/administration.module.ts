import { AlertsModule } from '@app/alerts/alerts.module';
import { KeyChangesModule } from '@app/auth/invalidation/key-changes.module';
import { CreditsModule } from '@app/credits/credits.module';
import { DatabaseModule } from '@app/database/database.module';
import { WebhookEventsModule } from '@app/webhooks/webhook-events.module';
import { OutboxModule } from '@app/queue/outbox.module';
import { Module } from '@nestjs/common';
import { AccountChangesService } from './accounts/account-changes.service';
import { AccountsService } from './accounts/accounts.service';
import { BudgetsService } from './budgets/budgets.service';
import { CreditAdjustmentsService } from './accounts/credit-adjustments.service';
import { AlertRulesService } from './alerts/alert-rules.service';
import { ContactsService } from './alerts/contacts.service';
import { AllowListDryRunsService } from './allow-lists/allow-list-dry-runs.service';
import { AllowListPresets } from './allow-lists/allow-list-presets.service';
import { AllowListsService } from './allow-lists/allow-lists.service';
import { StoredAllowLists } from './allow-lists/stored-allow-lists';
import { PresetWatchService } from './allow-lists/preset-watch.service';
import { ListedKeysService } from './allow-lists/listed-keys.service';
import { ApprovalsService } from './approvals/approvals.service';
import { AuditLog } from './audit/audit-log';
import { AuditedChanges, CHANGED_SUBJECTS } from './audit/audited-changes';
import { KeyFindingRepository } from '@app/database/key-safety/key-finding.repository';
import { ApiKeyChangesService } from './keys/api-key-changes.service';
import { ApiKeysService } from './keys/api-keys.service';
import { BulkChangesService } from './keys/bulk-changes.service';
import { BulkEdits } from './keys/bulk-edits';
import { BulkUndoService } from './keys/bulk-undo.service';
import { KeySafetyWatchService } from './key-safety/key-safety-watch.service';
import { KeySafetyService } from './key-safety/key-safety.service';
import { FileAccountsService } from './key-files/file-accounts.service';
import { FileBudgetsService } from './key-files/file-budgets.service';
import { FileKeysService } from './key-files/file-keys.service';
import { FileListsService } from './key-files/file-lists.service';
import { FileRulesService } from './key-files/file-rules.service';
import { FileVoicesService } from './key-files/file-voices.service';
import { FileWebhooksService } from './key-files/file-webhooks.service';
import { KeyFileExportService } from './key-files/key-file-export.service';
import { KeyFilesService } from './key-files/key-files.service';
import { IdleKeysService } from './keys/idle-keys.service';
import { KeyCreation } from './keys/key-creation';
import { KeyDryRunsService } from './keys/key-dry-runs.service';
import { KeyImportService } from './keys/key-import.service';
import { KeyLocks } from './keys/key-locks';
import { KeyPoliciesService } from './keys/key-policies.service';
import { KeyRestoresService } from './keys/key-restores.service';
import { KeySecrets } from './keys/key-secrets';
import { KeySettingsStore } from './keys/key-settings-store';
import { KeyShorteningService } from './keys/key-shortening.service';
import { AppliedChangesService } from './keys/applied-changes.service';
import { PolicyRulesService } from './keys/policy-rules.service';
import { ManagementCredentialsService } from './staff/management-credentials.service';
import { SecretRotationService } from './installation/secret-rotation.service';
import { SettingsService } from './installation/settings.service';
import { UsageSinksService } from './installation/usage-sinks.service';
import { ServiceCredentialsService } from './keys/service-credentials.service';
import { AppealsService } from './reviews/appeals.service';
import { BulkReviewsService } from './reviews/bulk-reviews.service';
import { DeskDecisions } from './reviews/desk-decisions.service';
import { ManualGrades } from './reviews/manual-grades.service';
import { ReviewDeskService } from './reviews/review-desk.service';
import { ReviewRequests } from './reviews/review-requests';
import { ReviewsService } from './reviews/reviews.service';
import { SecondListenings } from './reviews/second-listenings.service';
import { VoiceCommentsService } from './reviews/voice-comments.service';
import { WaitingAccountsService } from './reviews/waiting-accounts.service';
import { RolePoliciesService } from './staff/role-policies.service';
import { ScimService } from './staff/scim.service';
import { StaffService } from './staff/staff.service';
import { BlockedVoicesService } from './voices/blocked-voices.service';
import { BlockedRecordingsService } from './voices/blocked-recordings.service';
import { SpokenClips } from './voices/spoken-clips.service';
import { ScreeningListsService } from './voices/screening-lists.service';
import { VoiceSharingService } from './voices/voice-sharing.service';
import { VoiceTagsService } from './voices/voice-tags.service';
import { QueuePausesService } from './workers/queue-pauses.service';
import { QuietWorkersService } from './workers/quiet-workers.service';
import { VoiceAliasesService } from './voices/voice-aliases.service';
import { VoiceSafetyService } from './voices/voice-safety.service';
import { WebhooksService } from './webhooks/webhooks.service';
import { TimersService } from './workers/timers.service';

const SERVICES = [
  AccountChangesService,
  AccountsService,
  AlertRulesService,
  AllowListDryRunsService,
  AllowListPresets,
  AllowListsService,
  ApiKeyChangesService,
  ApiKeysService,
  AppealsService,
  ApprovalsService,
  AuditedChanges,
  AuditLog,
  BlockedVoicesService,
  BudgetsService,
  BulkChangesService,
  BulkReviewsService,
  BulkUndoService,
  ContactsService,
  CreditAdjustmentsService,
  DeskDecisions,
  IdleKeysService,
  KeyDryRunsService,
  KeyFileExportService,
  KeyFilesService,
  KeyImportService,
  KeyPoliciesService,
  KeyRestoresService,
  KeySafetyService,
  KeySafetyWatchService,
  KeyShorteningService,
  ListedKeysService,
  BlockedRecordingsService,
  PresetWatchService,
  QueuePausesService,
  QuietWorkersService,
  ReviewDeskService,
  ReviewRequests,
  ReviewsService,
  RolePoliciesService,
  ScreeningListsService,
  SpokenClips,
  SecretRotationService,
  SettingsService,
  ManagementCredentialsService,
  ServiceCredentialsService,
  UsageSinksService,
  ScimService,
  StaffService,
  StoredAllowLists,
  TimersService,
  VoiceAliasesService,
  VoiceCommentsService,
  VoiceSafetyService,
  VoiceSharingService,
  VoiceTagsService,
  WaitingAccountsService,
  WebhooksService,
];

/** What the api, the command line and the worker share: accounts, keys, allow-lists, staff and the audited change. */
@Module({
  imports: [AlertsModule, CreditsModule, DatabaseModule, KeyChangesModule, OutboxModule, WebhookEventsModule],
  providers: [
    ...SERVICES,
    AppliedChangesService,
    BulkEdits,
    KeyCreation,
    FileAccountsService,
    FileBudgetsService,
    FileKeysService,
    FileListsService,
    FileRulesService,
    FileVoicesService,
    FileWebhooksService,
    PolicyRulesService,
    KeyLocks,
    KeySecrets,
    KeySettingsStore,
    ManualGrades,
    SecondListenings,
    { provide: CHANGED_SUBJECTS, useExisting: KeyFindingRepository },
  ],
  exports: SERVICES,
})
export class AdministrationModule {}
