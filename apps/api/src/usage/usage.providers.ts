import { PublicUsageController } from './public-usage.controller';
import { StaffUsageController } from './staff-usage.controller';
import { UsageService } from './usage.service';

/** What accounts have used, for the api's module. */
export const USAGE_CONTROLLERS = [PublicUsageController, StaffUsageController];
export const USAGE_PROVIDERS = [UsageService];
