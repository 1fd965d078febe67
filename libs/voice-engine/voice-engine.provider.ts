import { AppConfig } from '@app/config/app-config';
import type { FactoryProvider } from '@nestjs/common';
import { FliteEngine } from './flite.engine';
import { SpeechServerEngine } from './speech-server.engine';
import { UpstreamEngine } from './upstream.engine';
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
  const { voiceEngineApiKey: apiKey, voiceEngineModel: model } = config;
  const server = { url: config.voiceEngineUrl, allowedAddresses: config.voiceEngineAddresses ?? [], model };
  if (config.voiceEngine === 'elevenlabs') return new UpstreamEngine({ ...server, apiKey: apiKey ?? '' });
  return new SpeechServerEngine({ ...server, apiKey, dialect: config.voiceEngineDialect });
}
