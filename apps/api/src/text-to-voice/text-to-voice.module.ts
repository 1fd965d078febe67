import { AdministrationModule } from '@app/administration/administration.module';
import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import { CreditsModule } from '@app/credits/credits.module';
import { DatabaseModule } from '@app/database/database.module';
import { GatesModule } from '@app/gates/gates.module';
import { LimitsModule } from '@app/limits/limits.module';
import { VoiceEngineModule } from '@app/voice-engine/voice-engine.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { ScreeningModule } from '../screening/screening.module';
import { VoicesModule } from '../voices/voices.module';
import { CreateVoiceRequests } from './create-voice-requests';
import { CreateVoiceService } from './create-voice.service';
import { DesignService } from './design.service';
import { GenerationCredits } from './generation-credits';
import { GenerationRequests } from './generation-requests';
import { GenerationService } from './generation.service';
import { PreviewStore } from './preview-store';
import { PreviewsService } from './previews.service';
import { PublicTextToVoiceController } from './public-text-to-voice.controller';
import { RemixService } from './remix.service';
import { StaffPreviewsController } from './staff-previews.controller';
import { StaffPreviewsService } from './staff-previews.service';
import { StreamedPreviews } from './streamed-previews';

/** Previews of voices, and voices created from them. */
@Module({
  imports: [
    AdministrationModule,
    AudioStoreModule,
    CreditsModule,
    DatabaseModule,
    GatesModule,
    HttpModule,
    LimitsModule,
    ScreeningModule,
    VoiceEngineModule,
    VoicesModule,
  ],
  controllers: [PublicTextToVoiceController, StaffPreviewsController],
  providers: [
    CreateVoiceRequests,
    CreateVoiceService,
    DesignService,
    GenerationCredits,
    GenerationRequests,
    GenerationService,
    PreviewStore,
    PreviewsService,
    RemixService,
    StaffPreviewsService,
    StreamedPreviews,
  ],
  exports: [GenerationCredits],
})
export class TextToVoiceModule {}
