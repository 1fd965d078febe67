import { AuthModule } from '@app/auth/auth.module';
import type { AppConfig } from '@app/config/app-config';
import { ConfigModule } from '@app/config/config.module';
import { DatabaseModule } from '@app/database/database.module';
import { QueueModule } from '@app/queue/queue.module';
import { TracingEnd } from '@app/telemetry/tracing';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module';
import { AlertsModule } from './alerts/alerts.module';
import { AllowListsModule } from './allow-lists/allow-lists.module';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { ApprovalsModule } from './approvals/approvals.module';
import { AuditLogModule } from './audit-log/audit-log.module';
import { BudgetsModule } from './budgets/budgets.module';
import { ConsoleModule } from './console/console.module';
import { ExplainModule } from './explain/explain.module';
import { HealthModule } from './health/health.module';
import { HistoryModule } from './history/history.module';
import { HttpModule } from './http/http.module';
import { IntrospectionModule } from './introspection/introspection.module';
import { KeyPoliciesModule } from './key-policies/key-policies.module';
import { KeySafetyModule } from './key-safety/key-safety.module';
import { LeakedKeysModule } from './leaked-keys/leaked-keys.module';
import { RequestLimitsModule } from './limits/request-limits.module';
import { ManagementCredentialsModule } from './management-credentials/management-credentials.module';
import { ModelsModule } from './models/models.module';
import { ObservedTrafficModule } from './observed-traffic/observed-traffic.module';
import { OpenapiModule } from './openapi/openapi.module';
import { QueuesModule } from './queues/queues.module';
import { MetricsPort } from './telemetry/metrics-port';
import { ProcessReport } from './telemetry/process-report';
import { TimersModule } from './timers/timers.module';
import { ReviewDeskModule } from './review-desk/review-desk.module';
import { ReviewsModule } from './reviews/reviews.module';
import { SavedViewsModule } from './saved-views/saved-views.module';
import { SearchModule } from './search/search.module';
import { ServiceAccountsModule } from './service-accounts/service-accounts.module';
import { ScreeningModule } from './screening/screening.module';
import { SharedVoicesModule } from './shared-voices/shared-voices.module';
import { SingleUseTokensModule } from './single-use-tokens/single-use-tokens.module';
import { StaffModule } from './staff/staff.module';
import { TextToSpeechModule } from './text-to-speech/text-to-speech.module';
import { TextToVoiceModule } from './text-to-voice/text-to-voice.module';
import { UsageModule } from './usage/usage.module';
import { UserModule } from './user/user.module';
import { VoicesModule } from './voices/voices.module';
import { WebhooksModule } from './webhooks/webhooks.module';

/** The features of the api: every route belongs to one of them. */
export const FEATURES = [
  AccountsModule,
  AlertsModule,
  AllowListsModule,
  ApiKeysModule,
  ApprovalsModule,
  AuditLogModule,
  BudgetsModule,
  ConsoleModule,
  ExplainModule,
  HealthModule,
  HistoryModule,
  IntrospectionModule,
  KeyPoliciesModule,
  KeySafetyModule,
  LeakedKeysModule,
  ManagementCredentialsModule,
  ModelsModule,
  ObservedTrafficModule,
  OpenapiModule,
  QueuesModule,
  TimersModule,
  RequestLimitsModule,
  ReviewDeskModule,
  ReviewsModule,
  SavedViewsModule,
  SearchModule,
  ServiceAccountsModule,
  ScreeningModule,
  SharedVoicesModule,
  SingleUseTokensModule,
  StaffModule,
  TextToSpeechModule,
  TextToVoiceModule,
  UsageModule,
  UserModule,
  VoicesModule,
  WebhooksModule,
];

@Module({})
export class ApiModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.connect('greenroom-api'),
        DatabaseModule,
        QueueModule.connect(),
        AuthModule,
        HttpModule,
        ...offeredFeatures(config),
      ],
      providers: [MetricsPort, ProcessReport, TracingEnd],
    };
  }
}

/** Text to speech can be left out, with its history. Then their paths are operations that are not offered. */
const SPEECH_FEATURES: readonly Type[] = [HistoryModule, TextToSpeechModule];

function offeredFeatures({ textToSpeech }: AppConfig): Type[] {
  return FEATURES.filter((feature) => textToSpeech === 'on' || !SPEECH_FEATURES.includes(feature));
}
