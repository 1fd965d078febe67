import type { ApiKey } from '@app/database/keys/api-key.entity';
import { ApiKeySearchRepository } from '@app/database/keys/api-key-search.repository';
import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { parseAllowList } from '@app/domain/allow-lists/allow-list';
import { DomainError } from '@app/domain/errors';
import { freerThan, givable, MAX_PARENT_KEYS, type Freer, type KeyGrants } from '@app/domain/keys/key-grants';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { storedPermissions } from '@app/domain/keys/key-field-checks';
import { isUuid } from '@app/domain/common/uuid';
import type { Caller } from '@app/domain/keys/caller';
import { ServiceAccountsService } from './service-accounts.service';

/** Whose key, and which: what stands in the path. */
export interface KeyPath {
  serviceAccountId: string;
  keyId: string;
}

/** What a customer gives a key, or changes of it; undefined leaves it as it is. */
interface CustomerSettings {
  permissions?: readonly string[] | 'all';
  creditLimit?: number | null;
  allowedIps?: readonly string[] | null;
  concurrencyLimit?: number | null;
}

/** How messages and fields call the dimensions. */
const WORDS: Record<keyof KeyGrants, { name: string; param?: string }> = {
  permissions: { name: 'Permission', param: 'permissions' },
  creditLimit: { name: 'Credit limit', param: 'character_limit' },
  allowList: { name: 'Allow-list', param: 'allowed_ips' },
  expiresAtMs: { name: 'Expiry' },
  requestsPerMinute: { name: 'Requests per minute' },
  concurrencyLimit: { name: 'Generations at once', param: 'tts_concurrency_limit' },
  models: { name: 'Models' },
  voices: { name: 'Voices' },
};

/** What a key may do to other keys: it creates and changes none that is freer than itself, see `freerThan`. */
@Injectable()
export class KeyScopeService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly views: ApiKeySearchRepository,
    private readonly serviceAccounts: ServiceAccountsService,
  ) {}

  /** A key of a service account of the caller's account. */
  async get(caller: Caller, { serviceAccountId, keyId }: KeyPath, em: EntityManager): Promise<ApiKeyView> {
    const { id } = await this.serviceAccounts.get(caller, serviceAccountId, em);
    const key = isUuid(keyId) ? await this.views.find(keyId, em) : null;
    if (key?.serviceAccountId !== id) throw keyNotFound(keyId);
    return key;
  }

  /**
   * The parent keys of a key that the caller creates with these settings.
   *
   * @throws DomainError when it would be freer than the caller, or too many generations away from the first key
   */
  async requireCreatable({ key }: Caller, settings: CustomerSettings, em: EntityManager): Promise<string[]> {
    const own = await this.grantsOf(key.keyId, em);
    // What the settings do not name is limited by the parent key as long as there is one.
    const input = { permissions: [], creditLimit: null, allowedIps: null, ...defined(settings) };
    refuseTooFree(freerThan(own, { ...own, ...requested(input) }));
    const parentKey = await this.keys.find(key.keyId, em);
    const parentKeyIds = [key.keyId, ...(parentKey?.parentKeyIds ?? [])];
    const limits = { limit: MAX_PARENT_KEYS, used: parentKeyIds.length };
    if (parentKeyIds.length > MAX_PARENT_KEYS) throw new DomainError('key_generation_limit_reached', limits);
    return parentKeyIds;
  }

  /**
   * Locks a key of the caller's account that the caller changes, and the caller.
   *
   * @throws DomainError when the key is freer than the caller, before the change or after it
   */
  async requireChangeable(
    by: Caller,
    path: KeyPath,
    settings: CustomerSettings,
    em: EntityManager,
  ): Promise<ApiKey> {
    await this.get(by, path, em);
    const { keyId } = path;
    const { key: caller } = by;
    const key = (await this.keys.lockAll([caller.keyId, keyId], em)).find(({ id }) => id === keyId);
    if (!key) throw keyNotFound(keyId);
    const own = await this.grantsOf(caller.keyId, em);
    const present = await this.grantsOf(keyId, em);
    refuseOutOfScope(freerThan(own, present));
    const isOwn = [keyId, ...(key.parentKeyIds ?? [])].includes(caller.keyId);
    refuseTooFree(freerThan(givable(own, present, isOwn), { ...present, ...requested(settings) }));
    return key;
  }

  private async grantsOf(keyId: string, em: EntityManager): Promise<KeyGrants> {
    const grants = await this.keys.findGrants(keyId, em);
    if (!grants) throw keyNotFound(keyId);
    return grants;
  }
}

/** The dimensions that settings name, as they would be stored. */
function requested({
  permissions,
  creditLimit,
  allowedIps,
  concurrencyLimit,
}: CustomerSettings): Partial<KeyGrants> {
  return {
    ...(permissions !== undefined && { permissions: storedPermissions(permissions) }),
    ...(creditLimit !== undefined && { creditLimit }),
    ...(concurrencyLimit !== undefined && { concurrencyLimit }),
    ...(allowedIps !== undefined && {
      allowList: allowedIps && { entries: parseAllowList(allowedIps).entries, corrupt: null },
    }),
  };
}

function defined(settings: CustomerSettings): CustomerSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function refuseTooFree(freer: Freer | null): void {
  if (!freer) return;
  const { name: dimension, param } = WORDS[freer.dimension];
  if (freer.dimension === 'permissions')
    throw new DomainError('insufficient_permissions', { permission: freer.input }, { param });
  const { input, accepted } = freer;
  throw new DomainError('key_too_free', { dimension, input, accepted }, { param });
}

function refuseOutOfScope(freer: Freer | null): void {
  if (!freer) return;
  const { input, accepted } = freer;
  throw new DomainError('key_out_of_reach', { dimension: WORDS[freer.dimension].name, input, accepted });
}
