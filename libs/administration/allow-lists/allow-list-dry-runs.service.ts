import { DAY_MS } from '@app/domain/common/utc-days';
import { AppConfig } from '@app/config/app-config';
import { AccountRepository } from '@app/database/accounts/account.repository';
import type { ListOwner } from '@app/database/keys/allow-list.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import {
  ObservedTrafficRepository,
  type AddressTraffic,
} from '@app/database/traffic/observed-traffic.repository';
import { compileAllowList, matchAllowList, type CompiledAllowList } from '@app/domain/allow-lists/allow-list';
import { suggestAllowList, type Suggestion } from '@app/domain/traffic/allow-list-suggestion';
import { letsIn, dryRun, type DryRun } from '@app/domain/dry-runs/allow-list-dry-run';
import type { AddressUse } from '@app/domain/traffic/traffic';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { passedAddressGate } from '@app/gates/gates';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { readDraft, requireAccepted, type Draft, type DraftEntry } from './allow-list-draft';
import type { InputList } from '@app/domain/allow-lists/input-list';

/** How many days of a key's traffic are examined by default. */
export const RECENT_DAYS = 7;

/** What a list would have done to the requests of some days. */
export interface AllowListDryRun {
  days: number;
  refusing: DryRun;
  /** Addresses whose requests were refused because of a list, and would have been let in. */
  lettingIn: AddressUse[];
}

/** Whether a draft lets an address in, and by which entry. */
interface AddressLookup {
  input: string;
  isAddress: boolean;
  allowed: boolean;
  entry: string | null;
}

export interface CheckedDraft {
  draft: Draft;
  /** Null without an address. */
  address: AddressLookup | null;
}

/** Tries allow-lists without changing anything. */
@Injectable()
export class AllowListDryRunsService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly accounts: AccountRepository,
    private readonly traffic: ObservedTrafficRepository,
    private readonly config: AppConfig,
  ) {}

  /** Reads a list; null stands for none. */
  read(input: InputList): Draft | null {
    return readDraft(input, this.config.trustedProxies.cidrs);
  }

  /** Reads a list for a key or an account, and looks up whether it lets an address in. */
  async check(owner: ListOwner, input: InputList, address?: string): Promise<CheckedDraft> {
    await this.requireOwner(owner);
    const draft = this.read(input) ?? NO_LIST;
    return { draft, address: address === undefined ? null : lookUp(draft, address) };
  }

  /**
   * What a draft would have done to the requests of the last days: of the key, or of all keys of the account.
   *
   * @throws InvalidInput when the draft is not accepted
   */
  async run(owner: ListOwner, draft: Draft | null, days: number): Promise<AllowListDryRun> {
    const seen = await this.listSeen(owner, days);
    if (draft) requireAccepted(draft);
    const list = draft && compileDraft(draft.entries);
    const now = Date.now();
    const stopped = byAddress(seen.filter(({ outcome }) => outcome === 'ip'));
    return {
      days,
      refusing: dryRun(list, byAddress(seen.filter(({ outcome }) => passedAddressGate(outcome))), now),
      lettingIn: stopped.filter(({ address }) => list === null || letsIn(list, address, now)),
    };
  }

  /** Where the key, or any key of the account, was used from during the last days, refused requests as well; most requests first. */
  async observe(owner: ListOwner, days: number): Promise<AddressUse[]> {
    return byAddress(await this.listSeen(owner, days));
  }

  /** A list that would have let in what was let in during the last days. */
  async suggest(owner: ListOwner, days: number): Promise<Suggestion> {
    const seen = await this.listSeen(owner, days);
    return suggestAllowList(byAddress(seen.filter(({ outcome }) => passedAddressGate(outcome))));
  }

  private async listSeen(owner: ListOwner, days: number): Promise<AddressTraffic[]> {
    await this.requireOwner(owner);
    const since = daysAgo(days);
    return owner.kind === 'key'
      ? this.traffic.listAddresses(owner.id, since)
      : this.traffic.listAddressesOfAccount(owner.id, since);
  }

  private async requireOwner({ kind, id }: ListOwner): Promise<void> {
    if (kind === 'account') await this.accounts.get(id);
    if (kind === 'key' && (!isUuid(id) || !(await this.keys.exists(id)))) throw keyNotFound(id);
  }
}

const NO_LIST: Draft = {
  parsed: {
    canonical: [],
    entries: [],
    accepted: [],
    corrections: [],
    warnings: [],
    needsConfirm: false,
    problems: [],
  },
  entries: [],
  accepted: [],
  asText: false,
};

function lookUp(draft: Draft, input: string): AddressLookup {
  const address = parseIpAddress(input.trim());
  const now = Date.now();
  const entry = address && draft.accepted.find((each) => matchAllowList(compileDraft([each]), address, now));
  const allowed = draft === NO_LIST || Boolean(entry);
  return { input, isAddress: address !== null, allowed, entry: entry?.cidr ?? null };
}

function compileDraft(entries: readonly DraftEntry[]): CompiledAllowList {
  const ends = entries.flatMap(({ cidr, endsAt }) => (endsAt ? [[cidr, endsAt.getTime()] as const] : []));
  return compileAllowList(
    entries.map(({ cidr }) => cidr),
    Object.fromEntries(ends),
  );
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS);
}

/** Adds up what differs only in its outcome; most requests first. */
function byAddress(seen: readonly AddressTraffic[]): AddressUse[] {
  const uses = new Map<string, AddressUse>();
  for (const { address, requests, firstAt, lastAt } of seen) {
    const use = uses.get(address);
    uses.set(address, {
      address,
      requests: requests + (use?.requests ?? 0),
      firstAt: use && use.firstAt < firstAt ? use.firstAt : firstAt,
      lastAt: use && use.lastAt > lastAt ? use.lastAt : lastAt,
    });
  }
  return [...uses.values()].toSorted((a, b) => b.requests - a.requests);
}
