import { VOICE_ENGINE_PROVIDER } from '@app/voice-engine/voice-engine.provider';
import { DesignService } from './design.service';
import { GenerationCredits } from './generation-credits';
import { GenerationService } from './generation.service';
import { PreviewStore } from './preview-store';
import { PreviewsService } from './previews.service';
import { RemixService } from './remix.service';

/** Everything that makes and serves previews, for the api's module. */
export const GENERATION_PROVIDERS = [
  VOICE_ENGINE_PROVIDER,
  DesignService,
  GenerationCredits,
  GenerationService,
  PreviewStore,
  PreviewsService,
  RemixService,
];
