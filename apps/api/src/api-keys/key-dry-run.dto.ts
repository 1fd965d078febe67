import type { SettingsDryRun } from '@app/administration/keys/key-dry-runs.service';
import { DRY_RUN_FIELDS } from '@app/domain/keys/key-fields';
import { PERMISSIONS, type Permission } from '@app/domain/keys/permissions';
import type { RequestsDryRun } from '@app/domain/dry-runs/limit-dry-run';
import type { PermissionSuggestion } from '@app/domain/dry-runs/permission-dry-run';
import { TRAFFIC_STORED_DAYS } from '@app/domain/traffic/traffic';
import { IntegerField } from '../http/fields';
import { settingsBody } from './settings-body';

const DaysField = () => IntegerField({ optional: true, min: 1, max: TRAFFIC_STORED_DAYS });

/** Settings to try, each separately; one that is left out is not tried. */
export class DryRunSettingsBody extends settingsBody(Object, DRY_RUN_FIELDS) {
  /** How many days of traffic and charges are looked at: by default all that are stored. */
  @DaysField()
  days?: number;
}

export class SuggestPermissionsBody {
  @DaysField()
  days?: number;
}

interface RefusedRouteResponse {
  route: string;
  permission: string | null;
  requests: number;
  first_seen: string;
  last_seen: string;
}

export interface SettingsDryRunResponse {
  days: number;
  /** Null without any. */
  permissions: {
    /** Requests that the permissions of the key did not stop. */
    requests: number;
    would_refuse: number;
    /** Those to routes whose permission is not known. */
    undecided: number;
    would_refuse_routes: RefusedRouteResponse[];
  } | null;
  credit_limit: {
    /** Days, in UTC, on which the key spent something. */
    days_spent: number;
    /** Those on which the limit would have refused something. */
    would_stop: number;
    would_stop_days: string[];
    /** Credits that were spent beyond the limit. */
    credits_beyond: number;
  } | null;
  requests_per_second: RequestsDryRunResponse | null;
  requests_per_minute: RequestsDryRunResponse | null;
  /** Its hours are days, in UTC. */
  requests_per_day: RequestsDryRunResponse | null;
}

interface RequestsDryRunResponse {
  requests: number;
  /** Refused for sure, at the least: traffic is recorded by hours. */
  would_refuse_at_least: number;
  would_refuse_hours: { hour: string; requests: number }[];
  /** Requests in hours that may have had a window with too many. */
  undecided: number;
}

export interface PermissionSuggestionResponse {
  days: number;
  /** Requests that the permissions of the key did not stop. */
  requests: number;
  /** All permissions there are. */
  of: number;
  permissions: { name: Permission; requests: number; last_used: string; routes: string[] }[];
  /** Requests to routes whose permission is not known: the suggestion may refuse them. */
  undecided: number;
}

export function toSettingsDryRunResponse(run: SettingsDryRun): SettingsDryRunResponse {
  const { days, permissions, creditLimit } = run;
  return {
    days,
    permissions: permissions && {
      requests: permissions.requests,
      would_refuse: permissions.refused,
      undecided: permissions.undecided,
      would_refuse_routes: permissions.refusedUses.map(({ route, permission = null, ...use }) => ({
        route,
        permission,
        requests: use.requests,
        first_seen: use.firstAt.toISOString(),
        last_seen: use.lastAt.toISOString(),
      })),
    },
    credit_limit: creditLimit && {
      days_spent: creditLimit.daysSpent,
      would_stop: creditLimit.stoppedDays.length,
      would_stop_days: creditLimit.stoppedDays,
      credits_beyond: creditLimit.beyond,
    },
    requests_per_second: run.requestsPerSecond && toRequestsResponse(run.requestsPerSecond),
    requests_per_minute: run.requestsPerMinute && toRequestsResponse(run.requestsPerMinute),
    requests_per_day: run.requestsPerDay && toRequestsResponse(run.requestsPerDay),
  };
}

function toRequestsResponse(run: RequestsDryRun): RequestsDryRunResponse {
  return {
    requests: run.requests,
    would_refuse_at_least: run.refusedAtLeast,
    would_refuse_hours: run.refusedUses.map(({ hour, requests }) => ({ hour: hour.toISOString(), requests })),
    undecided: run.undecided,
  };
}

export function toSuggestionResponse(
  { requests, used, undecided }: PermissionSuggestion,
  days: number,
): PermissionSuggestionResponse {
  return {
    days,
    requests,
    of: PERMISSIONS.length,
    permissions: used.map(({ permission: name, lastAt, routes, requests: ofIt }) => ({
      name,
      requests: ofIt,
      last_used: lastAt.toISOString(),
      routes,
    })),
    undecided,
  };
}
