import type { Type } from '@nestjs/common';
import { ApiModule } from '../../apps/api/src/api.module';
import { PublicConsoleController } from '../../apps/api/src/console/public-console.controller';
import { loadConfig } from '../../libs/config/app-config';

/** The controllers of the api; the console's pages are for people. Nothing is started, so what it would connect to does not matter. */
export function allControllers(): Type[] {
  const { controllers = [] } = ApiModule.forRoot(loadConfig({ DATABASE_URL: 'postgres://nowhere' }));
  return controllers.filter((controller) => controller !== PublicConsoleController);
}
