import { Module } from '@nestjs/common';
import { VOICE_ENGINE, VOICE_ENGINE_PROVIDER } from './voice-engine.provider';

/** The configured voice engine. */
@Module({
  providers: [VOICE_ENGINE_PROVIDER],
  exports: [VOICE_ENGINE],
})
export class VoiceEngineModule {}
