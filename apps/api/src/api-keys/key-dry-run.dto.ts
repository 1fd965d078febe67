import type { SettingsDryRun } from '@app/administration/keys/key-dry-runs.service';
import { DRY_RUN_FIELDS } from '@app/domain/keys/key-fields';
import { PERMISSIONS } from '@app/domain/keys/permissions';
import type { RequestsDryRun } from '@app/domain/dry-runs/limit-dry-run';
import type { PermissionSuggestion, RouteUse } from '@app/domain/dry-runs/permission-dry-run';
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

export interface SettingsDryRunResponse extends ReturnType<typeof toSettingsDryRunResponse> {}

export function toSettingsDryRunResponse(run: SettingsDryRun) {
  const { days, permissions, creditLimit } = run;
  return {
    days,
    /** Null without any. */
    permissions: permissions && {
      /** Requests that the permissions of the key did not stop. */
      requests: permissions.requests,
      would_refuse: permissions.refused,
      /** Those to routes whose permission is not known. */
      undecided: permissions.undecided,
      would_refuse_routes: permissions.refusedUses.map(toRefusedRoute),
    },
    credit_limit: creditLimit && {
      /** Days, in UTC, on which the key spent something. */
      days_spent: creditLimit.daysSpent,
      /** Those on which the limit would have refused something. */
      would_stop: creditLimit.stoppedDays.length,
      would_stop_days: creditLimit.stoppedDays,
      /** Credits that were spent beyond the limit. */
      credits_beyond: creditLimit.beyond,
    },
    requests_per_second: run.requestsPerSecond && toRequestsResponse(run.requestsPerSecond),
    requests_per_minute: run.requestsPerMinute && toRequestsResponse(run.requestsPerMinute),
    /** Its hours are days, in UTC. */
    requests_per_day: run.requestsPerDay && toRequestsResponse(run.requestsPerDay),
  };
}

export interface RefusedRouteResponse extends ReturnType<typeof toRefusedRoute> {}

function toRefusedRoute({ route, permission = null, requests, firstAt, lastAt }: RouteUse) {
  return { route, permission, requests, first_seen: firstAt.toISOString(), last_seen: lastAt.toISOString() };
}

export interface RequestsDryRunResponse extends ReturnType<typeof toRequestsResponse> {}

function toRequestsResponse(run: RequestsDryRun) {
  return {
    requests: run.requests,
    /** Refused for sure, at the least: traffic is recorded by hours. */
    would_refuse_at_least: run.refusedAtLeast,
    would_refuse_hours: run.refusedUses.map(({ hour, requests }) => ({ hour: hour.toISOString(), requests })),
    /** Requests in hours that may have had a window with too many. */
    undecided: run.undecided,
  };
}

export interface PermissionSuggestionResponse extends ReturnType<typeof toSuggestionResponse> {}

export function toSuggestionResponse({ requests, used, undecided }: PermissionSuggestion, days: number) {
  return {
    days,
    /** Requests that the permissions of the key did not stop. */
    requests,
    /** All permissions there are. */
    of: PERMISSIONS.length,
    permissions: used.map(({ permission: name, lastAt, routes, requests: ofIt }) => ({
      name,
      requests: ofIt,
      last_used: lastAt.toISOString(),
      routes,
    })),
    /** Requests to routes whose permission is not known: the suggestion may refuse them. */
    undecided,
  };
}
