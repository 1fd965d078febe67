import { AccountRepository } from './account.repository';
import { AllowListRepository } from './allow-list.repository';
import { ApiKeySearchRepository } from './api-key-search.repository';
import { ApiKeyRepository } from './api-key.repository';
import { AuditLogRepository } from './audit-log.repository';
import { CreditRepository } from './credit.repository';
import { KeyChangeRepository } from './key-change.repository';
import { ObservedTrafficRepository } from './observed-traffic.repository';
import { OutboxRepository } from './outbox.repository';
import { PreviewRepository } from './preview.repository';
import { ServiceAccountRepository } from './service-account.repository';
import { StaffAttemptRepository } from './staff-attempt.repository';
import { StaffRepository } from './staff.repository';
import { VoiceRepository } from './voice.repository';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';
import { WebhookEndpointRepository } from './webhook-endpoint.repository';
import { WebhookQuotaRepository } from './webhook-quota.repository';

/** Every repository, as providers of the database module. */
export const REPOSITORIES = [
  AccountRepository,
  AllowListRepository,
  ApiKeyRepository,
  ApiKeySearchRepository,
  AuditLogRepository,
  CreditRepository,
  KeyChangeRepository,
  ObservedTrafficRepository,
  OutboxRepository,
  PreviewRepository,
  ServiceAccountRepository,
  StaffAttemptRepository,
  StaffRepository,
  VoiceRepository,
  WebhookDeliveryRepository,
  WebhookEndpointRepository,
  WebhookQuotaRepository,
];
