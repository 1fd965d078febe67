import { StaffObservedTrafficController } from './staff-observed-traffic.controller';
import { TrafficRecorder } from './traffic-recorder';
import { TrafficRetention } from './traffic-retention';
import { ObservedTrafficService } from './observed-traffic.service';

/** Observed traffic, for the api's module. */
export const TRAFFIC_CONTROLLERS = [StaffObservedTrafficController];
export const TRAFFIC_PROVIDERS = [ObservedTrafficService, TrafficRecorder, TrafficRetention];
