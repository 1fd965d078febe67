import type { Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants';
import { FEATURES } from '../../apps/api/src/api.module';
import { PublicConsoleController } from '../../apps/api/src/console/public-console.controller';

/** The controllers of the api; the console's pages are for people. */
export function allControllers(): Type[] {
  return FEATURES.flatMap(controllersOf).filter((controller) => controller !== PublicConsoleController);
}

function controllersOf(feature: Type): Type[] {
  return (Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, feature) as Type[] | undefined) ?? [];
}
