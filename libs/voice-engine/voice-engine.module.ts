import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { VoiceEngine } from './voice-engine';
import { VOICE_ENGINE, VOICE_ENGINE_PROVIDER } from './voice-engine.provider';

/** The configured voice engine, which ends with the application. */
@Module({
  providers: [VOICE_ENGINE_PROVIDER],
  exports: [VOICE_ENGINE],
})
export class VoiceEngineModule implements OnApplicationShutdown {
  constructor(@Inject(VOICE_ENGINE) private readonly engine: VoiceEngine) {}

  async onApplicationShutdown(): Promise<void> {
    await this.engine.close();
  }
}
