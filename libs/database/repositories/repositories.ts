import { AccountRepository } from './account.repository';
import { AllowListRepository } from './allow-list.repository';
import { ApiKeySearchRepository } from './api-key-search.repository';
import { ApiKeyRepository } from './api-key.repository';
import { AudioObjectRepository } from './audio-object.repository';
import { AuditLogRepository } from './audit-log.repository';
import { CreditBooksRepository } from './credit-books.repository';
import { CreditLedgerRepository } from './credit-ledger.repository';
import { CreditRepository } from './credit.repository';
import { IdempotencyRepository } from './idempotency.repository';
import { KeyChangeRepository } from './key-change.repository';
import { LeakReportRepository } from './leak-report.repository';
import { LimitRepository } from './limit.repository';
import { ObservedTrafficRepository } from './observed-traffic.repository';
import { OutboxRepository } from './outbox.repository';
import { PreferenceRepository } from './preference.repository';
import { PreviewRepository } from './preview.repository';
import { ReviewFlowRepository } from './review-flow.repository';
import { ServiceAccountRepository } from './service-account.repository';
import { ServiceCredentialRepository } from './service-credential.repository';
import { SingleUseTokenRepository } from './single-use-token.repository';
import { RolePolicyRepository } from './role-policy.repository';
import { StaffAttemptRepository } from './staff-attempt.repository';
import { StaffReviewRepository } from './staff-review.repository';
import { StaffRepository } from './staff.repository';
import { VoiceChangeRepository } from './voice-change.repository';
import { VoiceSearchRepository } from './voice-search.repository';
import { UsageRepository } from './usage.repository';
import { VoiceRepository } from './voice.repository';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';
import { WebhookEndpointRepository } from './webhook-endpoint.repository';
import { WebhookQuotaRepository } from './webhook-quota.repository';
import { StaffVoiceRepository } from './staff-voice.repository';
import { WorkerProcessRepository } from './worker-process.repository';

/** Every repository, as providers of the database module. */
export const REPOSITORIES = [
  AccountRepository,
  AllowListRepository,
  ApiKeyRepository,
  ApiKeySearchRepository,
  AudioObjectRepository,
  AuditLogRepository,
  CreditBooksRepository,
  CreditLedgerRepository,
  CreditRepository,
  IdempotencyRepository,
  KeyChangeRepository,
  LeakReportRepository,
  LimitRepository,
  ObservedTrafficRepository,
  OutboxRepository,
  PreferenceRepository,
  PreviewRepository,
  ReviewFlowRepository,
  ServiceAccountRepository,
  ServiceCredentialRepository,
  SingleUseTokenRepository,
  RolePolicyRepository,
  StaffAttemptRepository,
  StaffRepository,
  VoiceChangeRepository,
  UsageRepository,
  VoiceRepository,
  VoiceSearchRepository,
  WebhookDeliveryRepository,
  WebhookEndpointRepository,
  WebhookQuotaRepository,
  StaffReviewRepository,
  StaffVoiceRepository,
  WorkerProcessRepository,
];
