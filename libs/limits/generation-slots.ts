import { BoundedMap } from '@app/domain/common/bounded-map';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { LimitStore, Slot } from './limit-store';
import { LIMIT_STORE } from './limit-store.provider';
import { SlotReleases } from './slot-releases';
import { StoreCalls } from './store-calls';

/** How long the slots of a process that was killed stay taken. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
/** Owners whose last reply of the store is known. */
const MAX_OWNERS = 100_000;

/** A slot, and the request that it is for. */
export interface RequestSlot extends Slot {
  readonly requestId: string;
}

interface SlotVerdict {
  readonly taken: boolean;
  /** Generations of the owner that run, this one included if it may. */
  readonly running: number;
}

/** Generations that an account, or a key with a limit, runs at the same time, over all processes. */
@Injectable()
export class GenerationSlots implements OnApplicationShutdown {
  readonly calls = new StoreCalls('Concurrent generations');
  /** Generations that were refused, since the process began. */
  refused = 0;
  /** Slots that are taken here, or being taken, by owner. */
  private readonly held = new Map<string, Set<Slot>>();
  /** Slots that the store has not replied to yet, in time or later: neither renewed nor released before that. */
  private readonly beingTaken = new Map<Slot, Promise<SlotVerdict>>();
  /** Slots that an owner had here when the store last replied about it: it may have as many again while the store is late. */
  private readonly lastHeld = new BoundedMap<string, number>(MAX_OWNERS);
  private readonly releases: SlotReleases;
  /** Work that continues after its response was sent, by the id of the request. */
  private readonly goingOn = new Map<string, Promise<void>>();
  private readonly timer = setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();

  constructor(@Inject(LIMIT_STORE) private readonly store: LimitStore) {
    this.releases = new SlotReleases(store, this.calls, LEASE_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.store.close?.();
  }

  /**
   * Takes a slot, to be returned with `free`. No process runs more of an owner than its limit, regardless of what the store replies;
   * while the store is down, that alone is the limit, and while it is late, what the store last let the owner have here.
   *
   * @returns `late` when the store does not reply in time and nothing is known of the owner, or when it counts slots that it has
   *   not released in time: nothing is taken then
   */
  async take(slot: RequestSlot, limit: number): Promise<SlotVerdict | 'late'> {
    const running = this.countHeld(slot);
    if (running >= limit) return this.refuse(running);
    const late = this.releases.countLate(slot.ownerId);
    this.hold(slot);
    const reply = await this.calls.ask(() => this.startTaking(slot, limit));
    if (reply === 'down') return this.passUnchecked(slot);
    if (reply === 'late')
      return this.passLate(slot) ?? this.fail(slot, this.beingTaken.get(slot) ?? Promise.resolve());
    this.lastHeld.set(slot.ownerId, this.countTaken(slot) - (reply.value.taken ? 0 : 1));
    if (reply.value.taken) return reply.value;
    // The store may have counted slots that are not in use any more: the owner may have room.
    if (reply.value.running - late < limit) return this.fail(slot);
    this.drop(slot);
    return this.refuse(reply.value.running);
  }

  /** Keeps the slot of a request, which is released later, until this work is done. It must not reject. */
  keepUntil(requestId: string, done: Promise<void>): void {
    this.goingOn.set(requestId, done);
    void done.then(() => this.goingOn.delete(requestId));
  }

  /** Releases a slot, at once or when its work is done. A release that fails is repeated until the slot's lease is over. */
  async free(slot: RequestSlot): Promise<void> {
    const goingOn = this.goingOn.get(slot.requestId);
    if (goingOn) return void goingOn.then(() => this.free(slot));
    if (this.drop(slot)) await this.release(slot);
  }

  /** Releases the slots of a generation; none where it took none. */
  async freeAll(slots: readonly RequestSlot[] = []): Promise<void> {
    await Promise.all(slots.map((slot) => this.free(slot)));
  }

  /** Running generations of an owner; null when the store does not reply. */
  async count(ownerId: string): Promise<number | null> {
    const reply = await this.calls.ask(() => this.store.countSlots(ownerId));
    return typeof reply === 'string' ? null : reply.value;
  }

  private async startTaking(slot: Slot, limit: number): Promise<SlotVerdict> {
    const taking = this.store.takeSlot(slot, limit, LEASE_MS);
    this.beingTaken.set(slot, taking);
    return taking.finally(() => this.beingTaken.delete(slot));
  }

  private async release(slot: Slot): Promise<void> {
    const taking = this.beingTaken.get(slot);
    if (taking) void this.releases.releaseAfter(taking, slot);
    else await this.releases.release([slot]);
  }

  private hold(slot: Slot): void {
    const slots = this.held.get(slot.ownerId) ?? new Set();
    this.held.set(slot.ownerId, slots.add(slot));
  }

  private drop(slot: Slot): boolean {
    const slots = this.held.get(slot.ownerId);
    const wasHeld = slots?.delete(slot) ?? false;
    if (slots?.size === 0) this.held.delete(slot.ownerId);
    return wasHeld;
  }

  private refuse(running: number): SlotVerdict {
    this.refused += 1;
    return { taken: false, running };
  }

  /** The slot stays held: the store learns of it when it is renewed. */
  private passUnchecked(slot: Slot): SlotVerdict {
    this.calls.unchecked += 1;
    return { taken: true, running: this.countHeld(slot) };
  }

  /** The slot stays held here if its owner has no more than before. */
  private passLate(slot: Slot): SlotVerdict | null {
    const running = this.countHeld(slot);
    return running <= (this.lastHeld.get(slot.ownerId) ?? 0) ? { taken: true, running } : null;
  }

  /** Without those that are being taken. */
  private countTaken({ ownerId }: Slot): number {
    return [...(this.held.get(ownerId) ?? [])].filter((slot) => !this.beingTaken.has(slot)).length;
  }

  private countHeld({ ownerId }: Slot): number {
    return this.held.get(ownerId)?.size ?? 0;
  }

  /** @param taking a call that may still take the slot, or may have */
  private fail(slot: Slot, taking?: Promise<unknown>): 'late' {
    this.calls.late += 1;
    this.drop(slot);
    if (taking) void this.releases.releaseAfter(taking, slot);
    return 'late';
  }

  private async renew(): Promise<void> {
    const held = [...this.held.values()]
      .flatMap((slots) => [...slots])
      .filter((slot) => !this.beingTaken.has(slot));
    if (held.length === 0) return;
    await this.calls.ask(() => this.store.renewSlots(held, LEASE_MS));
    // Released while they were being renewed: the renewal may have come later.
    const gone = held.filter((slot) => !this.held.get(slot.ownerId)?.has(slot));
    if (gone.length > 0) await this.releases.release(gone);
  }
}
