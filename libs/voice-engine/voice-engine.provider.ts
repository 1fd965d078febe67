import { AppConfig } from '@app/config/app-config';
import type { FactoryProvider } from '@nestjs/common';
import { FliteEngine } from './flite.engine';
import { SpeechServerEngine } from './speech-server.engine';
import { UpstreamEngine } from './upstream.engine';
import { upstreamOptions } from './upstream-account';
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
  const upstream = upstreamOptions(config);
  if (upstream) return new UpstreamEngine({ ...upstream, model });
  return new SpeechServerEngine({ ...server, apiKey, dialect: config.voiceEngineDialect });
}
