import type { Type } from '@nestjs/common';
import { ApiModule } from '../../apps/api/src/api.module';
import { loadConfig } from '../../libs/config/app-config';

/** The controllers of the api. Nothing is started, so what it would connect to does not matter. */
export function allControllers(): Type[] {
  const { controllers = [] } = ApiModule.forRoot(loadConfig({ DATABASE_URL: 'postgres://nowhere' }));
  return controllers;
}
