import { AuthModule } from '@app/auth/auth.module';
import { GatesModule } from '@app/gates/gates.module';
import { LimitsModule } from '@app/limits/limits.module';
import { SpeechEncoder } from '@app/audio/threads/speech-encoder';
import { VoiceEngineModule } from '@app/voice-engine/voice-engine.module';
import { Module } from '@nestjs/common';
import { HistoryModule } from '../history/history.module';
import { HttpModule } from '../http/http.module';
import { ObservedTrafficModule } from '../observed-traffic/observed-traffic.module';
import { SingleUseTokensModule } from '../single-use-tokens/single-use-tokens.module';
import { TextToVoiceModule } from '../text-to-voice/text-to-voice.module';
import { VoicesModule } from '../voices/voices.module';
import { PublicSpeechSocketsController } from './public-speech-sockets.controller';
import { PublicTextToSpeechController } from './public-text-to-speech.controller';
import { SpeechRequests } from './speech-requests';
import { SpeechSocketsService } from './speech-sockets.service';
import { TextToSpeechService } from './text-to-speech.service';

/** Stored voices that speak. Left out where TEXT_TO_SPEECH is off. */
@Module({
  imports: [
    AuthModule,
    GatesModule,
    HistoryModule,
    HttpModule,
    LimitsModule,
    ObservedTrafficModule,
    SingleUseTokensModule,
    TextToVoiceModule,
    VoiceEngineModule,
    VoicesModule,
  ],
  controllers: [PublicSpeechSocketsController, PublicTextToSpeechController],
  providers: [SpeechEncoder, SpeechRequests, SpeechSocketsService, TextToSpeechService],
})
export class TextToSpeechModule {}
