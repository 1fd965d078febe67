import type { KeyRefusal } from '@app/database/traffic/key-refusal.entity';
import type { TrafficSum } from '@app/database/traffic/observed-traffic.repository';
import { checkString, withSchema } from '@app/domain/common/field-checks';
import { CheckedField } from '../http/fields';
import { invalid } from '../http/wire-problem';
import type { KeyTraffic } from './observed-traffic.service';
import { TRAFFIC_STORED_DAYS } from '@app/domain/traffic/traffic';

const DEFAULT_DAYS = 7;
const DAYS_SCHEMA = {
  type: 'integer',
  minimum: 1,
  maximum: TRAFFIC_STORED_DAYS,
  default: DEFAULT_DAYS,
} as const;

export class TrafficQuery {
  /** A whole number of days, as text because it comes in a query. */
  @CheckedField(withSchema(DAYS_SCHEMA, checkString({ max: 20 })), { optional: true })
  days?: string;
}

/** @throws ValidationProblem when the number of days is not accepted */
export function readDays({ days: input }: TrafficQuery): number {
  if (input === undefined || input === '') return DEFAULT_DAYS;
  if (/^\d{1,3}$/.test(input) && Number(input) >= 1 && Number(input) <= TRAFFIC_STORED_DAYS)
    return Number(input);
  const accepted = `a whole number from 1 to ${TRAFFIC_STORED_DAYS}`;
  const msg = `Input should be ${accepted}`;
  throw invalid('query', { type: 'int_parsing', path: ['days'], msg, input: input, ctx: { accepted } });
}

export interface AccountTrafficResponse {
  /** The first and the last day, in UTC; the last one is not over. */
  from: string;
  to: string;
  /** Days and outcomes with requests; an outcome is `served`, `rejected`, `failed`, or the gate that refused. */
  items: { day: string; outcome: string; requests: number }[];
}

export interface TrafficResponse extends ReturnType<typeof toTrafficResponse> {}

export function toTrafficResponse({ days, since, addresses, routes, hours }: KeyTraffic) {
  return {
    days,
    since: since.toISOString(),
    /** Where from; `other` stands for addresses that are not counted one by one. */
    addresses: addresses.map((sum) => ({ address: sum.address, ...toSum(sum) })),
    routes: routes.map((sum) => ({ route: sum.route, ...toSum(sum) })),
    hours: hours.map(({ hour, outcome, requests }) => ({ hour: hour.toISOString(), outcome, requests })),
  };
}

export interface SumResponse extends ReturnType<typeof toSum> {}

function toSum({ outcome, requests, firstAt, lastAt }: TrafficSum & { outcome: string }) {
  return {
    outcome,
    requests,
    first_seen: firstAt.toISOString(),
    last_seen: lastAt.toISOString(),
  };
}

export interface RefusalResponse extends ReturnType<typeof toRefusalResponse> {}

export function toRefusalResponse(refusal: KeyRefusal) {
  const { at, gate, reason, status, route, address, requestId, cost } = refusal;
  return {
    at: at.toISOString(),
    gate,
    reason,
    status,
    route,
    address,
    request_id: requestId,
    /** What it would have cost, in credits; null where that was not known when it was refused. */
    cost,
  };
}
