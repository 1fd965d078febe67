import type { AppConfig } from '@app/config/app-config';
import type { Type } from '@nestjs/common';
import { PublicTextToSpeechController } from './public-text-to-speech.controller';
import { TextToSpeechService } from './text-to-speech.service';

/** Stored voices that speak, for the api's module. Where they do not, their paths are not there. */
export const TEXT_TO_SPEECH_PROVIDERS = [TextToSpeechService];

export function textToSpeechControllers({ textToSpeech }: AppConfig): Type[] {
  return textToSpeech === 'on' ? [PublicTextToSpeechController] : [];
}
