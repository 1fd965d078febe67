import { Controller, Get } from '@nestjs/common';
import { RequireScope } from '../http/route-access';
import { MODELS, type Model } from './models';

@Controller('v1/models')
export class PublicModelsController {
  @Get()
  @RequireScope('models_read')
  list(): readonly Model[] {
    return MODELS;
  }
}
