import { PreviewUrls } from './preview-urls';
import { PublicVoiceChangesController } from './public-voice-changes.controller';
import { PublicVoicesController } from './public-voices.controller';
import { VoiceChangesService } from './voice-changes.service';
import { VoiceSearchService } from './voice-search.service';
import { VoicesService } from './voices.service';

/** Voices of accounts, for the api's module. */
export const VOICE_CONTROLLERS = [PublicVoiceChangesController, PublicVoicesController];
export const VOICE_PROVIDERS = [PreviewUrls, VoiceChangesService, VoiceSearchService, VoicesService];
