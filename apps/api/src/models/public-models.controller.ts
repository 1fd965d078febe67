import { AppConfig } from '@app/config/app-config';
import { Controller, Get } from '@nestjs/common';
import { RequireScope } from '../http/route-access';
import type { Model } from './model';
import { ALL_MODELS, MODELS } from './models';

@Controller('v1/models')
export class PublicModelsController {
  constructor(private readonly config: AppConfig) {}

  @Get() // List models
  @RequireScope('models_read')
  list(): readonly Model[] {
    return this.config.textToSpeech === 'on' ? ALL_MODELS : MODELS;
  }
}
