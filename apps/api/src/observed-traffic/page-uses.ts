import type { BrowserUse } from '@app/database/keys/api-key.repository';
import { LRUCache } from 'lru-cache';

const MAX_KEYS = 10_000;
/** A page that keeps sending a secret is stored so often. */
const STORED_EVERY_MS = 3_600_000;
const MAX_ORIGIN = 300;

/** Keys whose secrets came from pages, in requests with an `Origin`: browsers add it, and programs have no reason to. */
export class PageUses {
  private readonly known = new LRUCache<string, true>({ max: MAX_KEYS, ttl: STORED_EVERY_MS });
  private waiting = new Map<string, BrowserUse>();

  note(keyId: string, origin: string | undefined): void {
    // `null` is a page as well, of a file or within a sandbox.
    if (!origin || origin.length > MAX_ORIGIN || this.known.has(keyId)) return;
    if (this.waiting.size < MAX_KEYS) this.waiting.set(keyId, { keyId, origin, at: new Date() });
  }

  /** Those that were not stored stay for the next time. */
  async store(save: (uses: BrowserUse[]) => Promise<void>): Promise<void> {
    if (this.waiting.size === 0) return;
    const uses = [...this.waiting.values()];
    await save(uses);
    for (const { keyId } of uses) {
      this.known.set(keyId, true);
      this.waiting.delete(keyId);
    }
  }
}
