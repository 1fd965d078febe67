import { AuditLogService } from '../audit-log/audit-log.service';
import { AuditLog } from '@app/administration/audit/audit-log';
import { StaffAuditLogController } from '../audit-log/staff-audit-log.controller';
import { RouteTable } from '../http/route-table';
import { KnownDevices } from './known-devices';
import { OwnSecurityChecks } from './own-security-checks';
import { OwnSecurityService } from './own-security.service';
import { RolePoliciesController } from './role-policies.controller';
import { RolePoliciesService } from './role-policies.service';
import { SessionCookies } from './session-cookies';
import { SessionTokens } from './session-tokens';
import { SignInConfirmationService } from './sign-in-confirmation.service';
import { SignInLibrary } from './sign-in-library';
import { SignInRecord } from './sign-in-record';
import { SignInService } from './sign-in.service';
import { SignInThrottle } from './sign-in-throttle';
import { StaffCredentials } from './staff-credentials';
import { StaffMembersController } from './staff-members.controller';
import { StaffSignInController } from './staff-sign-in.controller';
import { StaffHook } from './staff.hook';
import { StaffSearchService } from './staff-search.service';
import { StaffService } from '@app/administration/staff/staff.service';

/** Staff and the audit log, for the api's module. */
export const STAFF_CONTROLLERS = [
  RolePoliciesController,
  StaffAuditLogController,
  StaffMembersController,
  StaffSignInController,
];
export const STAFF_PROVIDERS = [
  AuditLog,
  AuditLogService,
  KnownDevices,
  OwnSecurityChecks,
  OwnSecurityService,
  RolePoliciesService,
  RouteTable,
  SessionCookies,
  SessionTokens,
  SignInConfirmationService,
  SignInLibrary,
  SignInRecord,
  SignInService,
  SignInThrottle,
  StaffCredentials,
  StaffHook,
  StaffSearchService,
  StaffService,
];
