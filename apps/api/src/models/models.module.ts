import { Module } from '@nestjs/common';
import { PublicModelsController } from './public-models.controller';

/** The list of models. */
@Module({
  controllers: [PublicModelsController],
})
export class ModelsModule {}
