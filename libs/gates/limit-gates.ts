import { randomUUID } from 'node:crypto';
import type { GenerationSlots, RequestSlot } from '@app/limits/generation-slots';
import { grouped } from '@app/domain/common/sentences';
import { MINUTE_MS, windowName, type RequestLimit } from '@app/domain/keys/request-limits';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import type { RequestLimiter, RequestVerdict } from '@app/limits/request-limiter';
import {
  passes,
  refusal,
  refuses,
  type CountedUse,
  type Gate,
  type GateDecision,
  type GateWords,
  type GenerationUse,
  type Remedy,
} from './gate';

/** About what a generation takes. */
const GENERATION_SECS = 2;

/** Nothing is known of the caller, and its limit stays closed: the process may be too busy to count. */
const LATE = refusal('limit_store_late', 'service_unavailable', {}, { retryAfterSecs: 1 });
const UNKNOWN =
  'cannot be counted right now: each api counts alone while their store is down, and while it is late lets no more pass than the store last granted.';

export type LimitCode = 'rate_limit_exceeded' | 'service_unavailable';

/** Requests per minute of the key, of every kind. Only requests that the gates before this one let in count. */
export const REQUESTS: Gate<'limit', CountedUse, LimitCode> = {
  name: 'limit',
  // At once when the store need not be queried, which is nearly always.
  decide(request, { requests }) {
    if (!request.counted) return null;
    if (request.key.requestLimits) return takeEach(request, request.key.requestLimits, requests);
    const verdict = requests.take(request.key.requestLimit);
    return verdict instanceof Promise
      ? verdict.then((known) => evaluateRequests(request, known))
      : evaluateRequests(request, verdict);
  },
  async describe({ key }, { requests }) {
    const rules: string[] = [];
    for (const each of key.requestLimits ?? [minuteOf(key.requestLimit)]) {
      const verdict = await requests.peek(toLimited(each));
      const words = describeRequests(verdict, 'key', 'edit_key', each.windowMs);
      if (verdict === null || words.refusal) return words;
      rules.push(words.rule);
    }
    return passes(rules.join(' '));
  },
};

/** Generations of the key and of the account that run at the same time. The request that takes slots releases them at its end. */
export const GENERATIONS: Gate<
  'concurrency',
  GenerationUse,
  'concurrent_limit_exceeded' | 'service_unavailable'
> = {
  name: 'concurrency',
  decide: (request, { slots }) => (request.generates ? takeSlots(request, slots) : null),
  async describe({ key, target }, { slots }) {
    if (!target.generates) return passes('The operation takes no slot of the account.');
    const rules: string[] = [];
    for (const { ownerId, limit } of key.generationLimits) {
      const running = await slots.count(ownerId);
      if (running === null) return passes(`Generations ${UNKNOWN}`);
      const [owner, remedy] = ownerOf(key, ownerId);
      const rule = `The ${owner} runs ${running} generations now; ${limit} may run at the same time.`;
      const change = `Wait until one of them ends, or let the ${owner} run more at the same time.`;
      if (running >= limit) return refuses(rule, 'concurrent_limit_exceeded', [change, remedy]);
      rules.push(rule);
    }
    return passes(rules.join(' '));
  },
};

const minuteOf = ({ keyId, requestsPerMinute }: VerifiableKey['requestLimit']): RequestLimit => ({
  keyId,
  requests: requestsPerMinute,
  windowMs: MINUTE_MS,
});

const toLimited = ({ keyId, requests, windowMs }: RequestLimit) => ({
  keyId,
  requestsPerMinute: requests,
  windowMs,
});

/** One window after the other: a request that one refuses is not counted in those that are longer. */
async function takeEach(
  request: CountedUse,
  limits: readonly RequestLimit[],
  limiter: RequestLimiter,
): Promise<GateDecision<LimitCode>> {
  for (const limit of limits) {
    const refused = evaluateRequests(request, await limiter.take(toLimited(limit)), limit.windowMs);
    if (refused) return refused;
  }
  return null;
}

function evaluateRequests(
  request: CountedUse,
  verdict: RequestVerdict | 'late',
  windowMs = MINUTE_MS,
): GateDecision<LimitCode> {
  // What the headers of the response say is about minutes.
  if (windowMs === MINUTE_MS && verdict !== 'late') request.requests = verdict;
  return decideRequests(verdict, 'key', windowMs);
}

/** What follows from a count. `owner` is what may make so many requests. */
export function decideRequests(
  verdict: RequestVerdict | 'late',
  owner: string,
  windowMs = MINUTE_MS,
): GateDecision<LimitCode> {
  if (verdict === 'late') return LATE;
  if (verdict.passed) return null;
  const params = { limit: `: this ${owner} may make ${verdict.limit} per ${windowName(windowMs)}` };
  const retryAfterSecs = Math.max(1, Math.ceil(verdict.endsInMs / 1_000));
  return refusal('too_many_requests', 'rate_limit_exceeded', params, { retryAfterSecs });
}

/** The same in words; with null, the count is not known. */
export function describeRequests(
  verdict: RequestVerdict | null,
  owner: string,
  remedy: Remedy,
  windowMs = MINUTE_MS,
): GateWords {
  if (verdict === null) return passes(`Requests ${UNKNOWN}`);
  const { passed, limit, remaining, endsInMs } = verdict;
  const name = windowName(windowMs);
  if (passed)
    return passes(
      `The ${owner} has ${grouped(remaining)} of ${grouped(limit)} requests left in this ${name}.`,
    );
  const change = `Wait ${Math.ceil(endsInMs / 1_000)} s, or let the ${owner} make more requests per ${name}.`;
  const rule = `The ${owner} has used its ${grouped(limit)} requests of this ${name}.`;
  return refuses(rule, 'rate_limit_exceeded', [change, remedy]);
}

/** What explain calls an owner of slots, and what changes its limit. */
function ownerOf({ accountId, keyId }: VerifiableKey, ownerId: string): [string, Remedy | null] {
  if (ownerId === accountId) return ['account', 'edit_account'];
  return ownerId === keyId ? ['key', 'edit_key'] : ['key that created it', null];
}

/** One slot after the other, the account's last: a key that runs as many as it may takes none of the others' places. */
async function takeSlots(
  request: GenerationUse,
  slots: GenerationSlots,
): Promise<GateDecision<'concurrent_limit_exceeded' | 'service_unavailable'>> {
  const taken: RequestSlot[] = [];
  let nearest = { running: 0, limit: Infinity };
  for (const { ownerId, limit } of request.key.generationLimits) {
    const slot = { id: randomUUID(), ownerId, requestId: request.requestId };
    const verdict = await slots.take(slot, limit);
    if (verdict === 'late' || !verdict.taken) {
      await slots.freeAll(taken);
      return verdict === 'late' ? LATE : refuseSlot(request, { running: verdict.running, limit });
    }
    taken.push(slot);
    if (limit - verdict.running < nearest.limit - nearest.running)
      nearest = { running: verdict.running, limit };
  }
  request.generation = { slots: taken, ...nearest };
  return null;
}

function refuseSlot(request: GenerationUse, { running, limit }: { running: number; limit: number }) {
  request.generation = { slots: [], running, limit };
  const retryAfterSecs = GENERATION_SECS;
  const params = { current: running, limit };
  return refusal('too_many_generations', 'concurrent_limit_exceeded', params, { retryAfterSecs });
}
