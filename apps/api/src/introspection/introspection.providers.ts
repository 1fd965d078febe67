import { AskedCredentials } from './asked-credentials';
import { HoldsService } from './holds.service';
import { IntrospectionService } from './introspection.service';
import { ServiceCredentialsService } from './service-credentials.service';
import { PlatformIntrospectionController } from './platform-introspection.controller';
import { StaffServiceCredentialsController } from './staff-service-credentials.controller';

/** Decisions for the platform's other services, and what these sign in with, for the api's module. */
export const INTROSPECTION_CONTROLLERS = [PlatformIntrospectionController, StaffServiceCredentialsController];
export const INTROSPECTION_PROVIDERS = [
  AskedCredentials,
  HoldsService,
  IntrospectionService,
  ServiceCredentialsService,
];
