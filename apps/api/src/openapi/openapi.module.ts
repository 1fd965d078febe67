import { Module } from '@nestjs/common';
import { PublicOpenapiController } from './public-openapi.controller';

/** The description of the API. */
@Module({
  controllers: [PublicOpenapiController],
})
export class OpenapiModule {}
