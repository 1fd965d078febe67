import type { HeldShares } from '@app/domain/common/held-shares';
import { DomainError } from '@app/domain/errors';
import { RETRY_AFTER_SECS } from './held-bytes';

/** Smaller bodies are not counted: as many as there may be connections hold less than the bound. */
export const SMALL_BYTES = 16 * 1024;
/** What is counted at a time of a body that does not declare its length. */
const STEP_BYTES = 64 * 1024;

/** Who has a share of the memory for bodies. */
export interface BodyOwner {
  readonly shares: HeldShares;
  readonly id: string;
  /** The others, in a refusal: "of your account". */
  readonly whose: string;
}

/** What needs the bytes of a body. */
type Holder = 'connection' | 'handler';

/** The memory that one body holds of its owner's share, until nothing needs it. */
export class HeldBody {
  private readonly holders = new Set<Holder>(['connection']);
  private arrived = 0;
  private counted = 0;
  private declared = 0;
  private isOver = false;

  constructor(private readonly owner: BodyOwner) {}

  /**
   * Counts a declared length before its first byte is read.
   *
   * @throws DomainError `too_many_large_bodies`, `system_busy`
   */
  declare(bytes: number): void {
    if (bytes <= SMALL_BYTES) return;
    this.declared = bytes;
    this.take(bytes, bytes);
  }

  /**
   * Counts bytes that have arrived, in steps. A refused body holds nothing any more.
   *
   * @throws DomainError `too_many_large_bodies`, `system_busy`
   */
  add(bytes: number): void {
    if (this.isOver) return;
    this.arrived += bytes;
    const missing = this.arrived - this.counted;
    if (this.arrived > SMALL_BYTES && missing > 0) this.take(Math.max(missing, STEP_BYTES), this.arrived);
  }

  /** Releases what was counted and is not needed: the body is read, or `bytes` of it are stored elsewhere. */
  settle(bytes = 0): void {
    if (this.isOver) return;
    this.arrived -= bytes;
    this.release(this.counted - Math.max(this.declared, this.arrived > SMALL_BYTES ? this.arrived : 0));
  }

  /**
   * Says how many bytes there are now, of what grows and shrinks.
   *
   * @throws DomainError `too_many_large_bodies`, `system_busy`
   */
  hold(bytes: number): void {
    this.arrived = bytes;
    this.settle();
    this.add(0);
  }

  begin(holder: Holder): void {
    this.holders.add(holder);
  }

  /** Releases everything when nothing else holds it. */
  end(holder: Holder): void {
    this.holders.delete(holder);
    if (this.holders.size === 0) this.endAll();
  }

  /** Releases everything: the bytes are no longer in memory. */
  endAll(): void {
    this.isOver = true;
    this.release(this.counted);
  }

  private take(bytes: number, ofAll: number): void {
    const { shares, id, whose } = this.owner;
    const held = shares.heldBy(id) - this.counted;
    const full = shares.take(id, bytes, this.counted);
    if (!full) return void (this.counted += bytes);
    this.endAll();
    const retry = { retryAfterSecs: RETRY_AFTER_SECS };
    if (full === 'all') throw new DomainError('system_busy', {}, retry);
    const limit = shares.bounds.perOwner;
    throw new DomainError('too_many_large_bodies', { bytes: ofAll, whose, held, limit }, retry);
  }

  private release(bytes: number): void {
    if (bytes <= 0) return;
    this.counted -= bytes;
    this.owner.shares.release(this.owner.id, bytes);
  }
}
