import { AUTH_PROVIDERS } from '@app/auth/auth.providers';
import { AUDIO_STORE_PROVIDER } from '@app/audio-store/audio-store.provider';
import type { AppConfig } from '@app/config/app-config';
import { ConfigModule } from '@app/config/config.module';
import { CreditBalances } from '@app/credits/credit-balances';
import { CreditLedger } from '@app/credits/credit-ledger';
import { ListReader } from '@app/database/list-reader';
import { DatabaseModule } from '@app/database/database.module';
import { QueueModule } from '@app/queue/queue.module';
import { TracingEnd } from '@app/telemetry/tracing';
import { Module, type DynamicModule } from '@nestjs/common';
import { ADMINISTRATION_CONTROLLERS, ADMINISTRATION_PROVIDERS } from './accounts/administration.providers';
import { ALLOW_LIST_CONTROLLERS, ALLOW_LIST_PROVIDERS } from './allow-lists/allow-list.providers';
import { CONSOLE_CONTROLLERS, CONSOLE_PROVIDERS } from './console/console.providers';
import { Drain } from './server/drain';
import { PublicHealthController } from './health/public-health.controller';
import { INTROSPECTION_CONTROLLERS, INTROSPECTION_PROVIDERS } from './introspection/introspection.providers';
import { ExposedSecrets } from './leaked-keys/exposed-secrets';
import { LeakedKeysService } from './leaked-keys/leaked-keys.service';
import { PublicLeakedKeysController } from './leaked-keys/public-leaked-keys.controller';
import { ScannerKeys } from './leaked-keys/scanner-keys';
import { IdempotentRequests } from './http/idempotency';
import { LIMIT_PROVIDERS } from './limits/limits.providers';
import { PublicModelsController } from './models/public-models.controller';
import { TRAFFIC_CONTROLLERS, TRAFFIC_PROVIDERS } from './observed-traffic/traffic.providers';
import { PublicOpenapiController } from './openapi/public-openapi.controller';
import { TOKEN_CONTROLLERS, TOKEN_PROVIDERS } from './single-use-tokens/single-use-token.providers';
import { QUEUE_CONTROLLERS, QUEUE_PROVIDERS } from './queues/queues.providers';
import { REVIEW_CONTROLLERS, REVIEW_PROVIDERS } from './reviews/reviews.providers';
import { STAFF_CONTROLLERS, STAFF_PROVIDERS } from './staff/staff.providers';
import { CreateVoiceRequests } from './text-to-voice/create-voice-requests';
import { CreateVoiceService } from './text-to-voice/create-voice.service';
import { GENERATION_PROVIDERS } from './text-to-voice/generation.providers';
import { PublicTextToVoiceController } from './text-to-voice/public-text-to-voice.controller';
import { StaffPreviewsController } from './text-to-voice/staff-previews.controller';
import { StaffPreviewsService } from './text-to-voice/staff-previews.service';
import { VOICE_CONTROLLERS, VOICE_PROVIDERS } from './voices/voice.providers';
import { WEBHOOK_CONTROLLERS, WEBHOOK_PROVIDERS } from './webhooks/webhooks.providers';
import { USAGE_CONTROLLERS, USAGE_PROVIDERS } from './usage/usage.providers';

@Module({})
export class ApiModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: ApiModule,
      imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot('greenroom-api'), QueueModule.forRoot()],
      controllers: [
        PublicHealthController,
        PublicLeakedKeysController,
        PublicModelsController,
        PublicOpenapiController,
        PublicTextToVoiceController,
        StaffPreviewsController,
        ...ALLOW_LIST_CONTROLLERS,
        ...ADMINISTRATION_CONTROLLERS,
        ...CONSOLE_CONTROLLERS,
        ...INTROSPECTION_CONTROLLERS,
        ...QUEUE_CONTROLLERS,
        ...REVIEW_CONTROLLERS,
        ...STAFF_CONTROLLERS,
        ...TOKEN_CONTROLLERS,
        ...TRAFFIC_CONTROLLERS,
        ...VOICE_CONTROLLERS,
        ...WEBHOOK_CONTROLLERS,
        ...USAGE_CONTROLLERS,
      ],
      providers: [
        ...AUTH_PROVIDERS,
        ...ALLOW_LIST_PROVIDERS,
        ...ADMINISTRATION_PROVIDERS,
        ...CONSOLE_PROVIDERS,
        ...INTROSPECTION_PROVIDERS,
        ...LIMIT_PROVIDERS,
        ...QUEUE_PROVIDERS,
        ...REVIEW_PROVIDERS,
        ...STAFF_PROVIDERS,
        ...GENERATION_PROVIDERS,
        ...TOKEN_PROVIDERS,
        ...TRAFFIC_PROVIDERS,
        ...USAGE_PROVIDERS,
        ...VOICE_PROVIDERS,
        ...WEBHOOK_PROVIDERS,
        AUDIO_STORE_PROVIDER,
        CreateVoiceRequests,
        CreateVoiceService,
        CreditBalances,
        CreditLedger,
        Drain,
        ExposedSecrets,
        LeakedKeysService,
        ListReader,
        ScannerKeys,
        IdempotentRequests,
        StaffPreviewsService,
        TracingEnd,
      ],
    };
  }
}
