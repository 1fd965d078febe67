import { AppConfig } from '@app/config/app-config';
import type { FactoryProvider } from '@nestjs/common';
import { FliteEngine } from './flite.engine';
import { SpeechServerEngine } from './speech-server.engine';
import type { VoiceEngine } from './voice-engine';

/** Injection token of the configured voice engine. */
export const VOICE_ENGINE = Symbol('VoiceEngine');

export const VOICE_ENGINE_PROVIDER: FactoryProvider<VoiceEngine> = {
  provide: VOICE_ENGINE,
  inject: [AppConfig],
  useFactory: createVoiceEngine,
};

function createVoiceEngine(config: AppConfig): VoiceEngine {
  if (config.voiceEngine === 'flite' || !config.voiceEngineUrl) return new FliteEngine();
  return new SpeechServerEngine({
    url: config.voiceEngineUrl,
    apiKey: config.voiceEngineApiKey,
    allowedAddresses: config.voiceEngineAddresses ?? [],
    dialect: config.voiceEngineDialect,
    model: config.voiceEngineModel,
  });
}
