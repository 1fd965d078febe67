import type { FactoryProvider } from '@nestjs/common';
import { FliteEngine } from './flite.engine';
import type { VoiceEngine } from './voice-engine';

/** Injection token of the configured voice engine. */
export const VOICE_ENGINE = Symbol('VoiceEngine');

export const VOICE_ENGINE_PROVIDER: FactoryProvider<VoiceEngine> = {
  provide: VOICE_ENGINE,
  useFactory: () => new FliteEngine(),
};
