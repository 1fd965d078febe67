import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import {
  KeyPolicyRepository,
  type PolicyScope,
  type ShortenedKey,
} from '@app/database/key-policies/key-policy.repository';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import { policyVersion } from '@app/domain/keys/key-policy-version';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { approvable, args, type ApprovedRequest, type ApprovedWork } from '../approvals/approvable';
import { ApprovalsService } from '../approvals/approvals.service';
import { anyOf, isNull, nullable, number, object, text } from '../approvals/json-shape';
import type { AuditActor } from '../audit/audit-actors';
import type { Change, ChangeWork } from '../audit/audited-changes';
import { toBatchEvents } from '../audit/batch-events';
import { SEEN_KEYS, type SeenKey } from './bulk-changes.service';
import { AppliedChangesService } from './applied-changes.service';
import { policyNotFound } from './policy-refusals';

/** Keys of one change: what a transaction can hold. */
const MAX_KEYS = 10_000;

export interface ShorteningRequest {
  /** The version of the policy that was read, see `policyVersion`. */
  expected: ExpectedVersion;
  /** The number of keys that the member of staff has read and typed. */
  confirm: string;
  graceDays: number;
  /** When the keys get their former expiry back unless the change is kept; null for never. */
  dueAt: Date | null;
  reason: string;
}

/** What applying the lifetime of a policy has done. */
export interface ShortenedKeys {
  shortened: number;
  /** The change of many keys that can be undone; null when no key was changed. */
  changeId: string | null;
  receipt: ChangeReceipt | null;
}

type Shortening = Change<Omit<ShortenedKeys, 'receipt'>>;

/** The new expiry of these keys, as they are. */
interface ShorteningArgs {
  scope: PolicyScope;
  maxLifetimeDays: number | null;
  graceDays: number;
  undoAfterMs: number | null;
  keys: SeenKey[];
}

export const SCOPE = anyOf(
  object({ tier: text, accountId: isNull }),
  object({ tier: isNull, accountId: text }),
);

export const SHORTENING = args<ShorteningArgs>(
  object({
    scope: SCOPE,
    maxLifetimeDays: nullable(number),
    graceDays: number,
    undoAfterMs: nullable(number),
    keys: SEEN_KEYS,
  }),
);

/** Gives keys that work for longer than a policy allows the expiry that it does; of many keys, a second person approves that. */
@Injectable()
export class KeyShorteningService {
  readonly approvable = {
    key_policy: approvable('key_policy', SHORTENING, (approved) => this.shorteningLater(approved)),
    tier_key_policy: approvable('tier_key_policy', SHORTENING, (approved) => this.shorteningLater(approved)),
  };

  constructor(
    private readonly approvals: ApprovalsService,
    private readonly policies: KeyPolicyRepository,
    private readonly created: AppliedChangesService,
  ) {}

  /**
   * Gives every key of a scope that would work for longer than its policy allows an expiry, if they are still as many as were
   * confirmed; else none. It is a change of many keys, which can be undone as a whole, or key by key.
   *
   * @throws ChangeWaits when it waits for a second person
   */
  async make(
    actor: AuditActor,
    scope: PolicyScope,
    { expected, confirm, ...request }: ShorteningRequest,
  ): Promise<ShortenedKeys> {
    const work: ChangeWork<Shortening['result'] & { later: ShorteningArgs }> = async (em) => {
      const { maxLifetimeDays, keys } = await this.listShortened(scope, request.graceDays, em, expected);
      if (String(keys.length) !== confirm.trim()) throw selectionChanged(keys.length, confirm.trim());
      const { graceDays, dueAt } = request;
      const undoAfterMs = dueAt && dueAt.getTime() - Date.now();
      const seen = keys.map(({ id, version }) => ({ id, version }));
      const later = { scope, maxLifetimeDays, graceDays, undoAfterMs, keys: seen };
      const shortened = await this.shorten(actor, scope, keys, { ...request, maxLifetimeDays }, em);
      return { ...shortened, result: { ...shortened.result, later } };
    };
    const {
      result: { shortened, changeId },
      receipt,
    } = await this.approvals.make(work, {
      approvable: this.approvable[scope.tier === null ? 'key_policy' : 'tier_key_policy'],
      actor,
      reason: request.reason,
      args: ({ result }) => result.later,
      countKeys: ({ result }) => result.later.keys.length,
    });
    return { shortened, changeId, receipt };
  }

  /** Does what a second person has approved, if the policy and every key are still as they were. */
  private shorteningLater({
    actor,
    reason,
    args: { scope, graceDays, undoAfterMs, ...requested },
  }: ApprovedRequest<ShorteningArgs>): ApprovedWork {
    const work: ChangeWork<Shortening['result']> = async (em) => {
      const { maxLifetimeDays, keys } = await this.listShortened(scope, graceDays, em);
      const seen = new Map(requested.keys.map(({ id, version }) => [id, version]));
      const isSame = maxLifetimeDays === requested.maxLifetimeDays;
      const unchanged = keys.filter(({ id, version }) => isSame && seen.get(id) === version);
      if (unchanged.length < seen.size) throw selectionChanged(unchanged.length, String(seen.size));
      const dueAt = undoAfterMs === null ? null : new Date(Date.now() + undoAfterMs);
      return this.shorten(actor, scope, unchanged, { maxLifetimeDays, graceDays, dueAt, reason }, em);
    };
    return { work };
  }

  /** The keys, locked, and the lifetime that is theirs. */
  private async listShortened(
    scope: PolicyScope,
    graceDays: number,
    em: EntityManager,
    expected: ExpectedVersion = 'any',
  ): Promise<{ maxLifetimeDays: number | null; keys: ShortenedKey[] }> {
    const policy = await this.policies.find(scope, em);
    if (!policy) throw policyNotFound(scope);
    checkVersion(expected, policyVersion(policy));
    const keys = await this.policies.listShortened(scope, policy, { graceDays, limit: MAX_KEYS + 1 }, em);
    if (keys.length > MAX_KEYS) throw tooMany();
    return { maxLifetimeDays: policy.maxLifetimeDays, keys };
  }

  private async shorten(
    actor: AuditActor,
    { tier, accountId }: PolicyScope,
    keys: readonly ShortenedKey[],
    requested: Omit<ShorteningRequest, 'confirm' | 'expected'> & { maxLifetimeDays: number | null },
    em: EntityManager,
  ): Promise<Shortening> {
    if (keys.length === 0) return { result: { shortened: 0, changeId: null }, events: [] };
    const { maxLifetimeDays, graceDays, dueAt, reason } = requested;
    const id = randomUUID();
    const changed = await this.policies.shorten(keys, actor.name, em);
    const keyIds = changed.map((key) => key.id);
    const latest = new Date(Math.max(...keys.map(({ newExpiresAt }) => newExpiresAt.getTime())));
    const edit = { action: 'set_expiry', value: latest.toISOString() } as const;
    await this.created.record(actor, { id, edit, filter: { tier, accountId }, reason, dueAt }, changed, em);
    const after = {
      max_lifetime_days: maxLifetimeDays,
      grace_days: graceDays,
      ...(tier !== null && { tier }),
      ...(dueAt && { undo_due_at: dueAt }),
    };
    const target = { type: 'api_keys', id, ...(accountId !== null && { accountId }) } as const;
    const events = toBatchEvents(
      keyIds,
      { actor, action: 'keys.expiry_shortened', target, after, reason },
      'key_ids',
    );
    return { result: { shortened: keyIds.length, changeId: id }, events, announce: { keyIds } };
  }
}

function selectionChanged(count: number, confirmed: string): DomainError {
  return new DomainError('selection_changed', { count, confirmed }, { param: 'confirm' });
}

function tooMany(): DomainError {
  const reason = `The policy concerns more than ${MAX_KEYS} keys; no more can be changed at once. Apply it account by account.`;
  return new DomainError('invalid_parameters', { reason });
}
