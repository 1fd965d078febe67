import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GenerationSlots, type RequestSlot } from '../../libs/limits/generation-slots';
import type { Slot } from '../../libs/limits/limit-store';
import { PostgresLimitStore } from '../../libs/limits/postgres-limit-store';
import { eventually } from '../support/eventually';
import { databaseOfFile } from '../support/test-database';

const database = databaseOfFile();

/** The store of a database that is late, or refuses, or loses what it is sent. */
class TroubledStore extends PostgresLimitStore {
  taken = 0;
  replies = 0;
  lateMs = 0;
  failure: string | null = null;
  lostReleases = 0;
  beforeTaking = async (): Promise<void> => undefined;
  afterTaking = async (): Promise<void> => undefined;

  override async takeSlot(slot: Slot, limit: number, leaseMs: number) {
    await this.beforeTaking();
    if (this.lateMs > 0) await pause(this.lateMs);
    if (this.failure) throw Object.assign(new Error(this.failure), { code: this.failure });
    const response = await super.takeSlot(slot, limit, leaseMs);
    this.taken = response.running;
    this.replies += 1;
    await this.afterTaking();
    return response;
  }

  override async freeSlots(slots: Slot[]): Promise<void> {
    if (this.lostReleases > 0) {
      this.lostReleases -= 1;
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    }
    await super.freeSlots(slots);
  }
}

async function withSlots(
  run: (slots: GenerationSlots, store: TroubledStore) => Promise<void>,
): Promise<void> {
  const store = new TroubledStore(database.dataSource);
  const slots = new GenerationSlots(store);
  try {
    await run(slots, store);
  } finally {
    await slots.onApplicationShutdown();
  }
}

const newSlots = (count: number) => {
  const ownerId = randomUUID();
  return Array.from({ length: count }, () => ({ id: randomUUID(), ownerId, requestId: randomUUID() }));
};

describe('while the store is late', () => {
  it('a request is refused, and a slot that is taken after that is released', async () => {
    await withSlots(async (slots, store) => {
      store.lateMs = 3_000;
      const [slot] = newSlots(1) as [RequestSlot];
      expect(await slots.take(slot, 1)).toBe('late');
      await eventually(async () =>
        expect([store.taken, await store.countSlots(slot.ownerId)]).toEqual([1, 0]),
      );
      expect([slots.calls.late, slots.calls.unchecked]).toEqual([1, 0]);
    });
  });

  it('a slot that is taken after that, or that is not released in time, is not counted against its account', async () => {
    await withSlots(async (slots, store) => {
      const [late, ended, next] = newSlots(3) as [RequestSlot, RequestSlot, RequestSlot];
      const allReleased = async () => {
        store.lostReleases = 0;
        await eventually(async () => expect(await store.countSlots(late.ownerId)).toBe(0));
        store.lostReleases = Infinity;
      };
      store.lostReleases = Infinity;
      store.afterTaking = () => pause(3_000);
      expect(await slots.take(late, 1)).toBe('late');
      store.afterTaking = async () => undefined;
      expect(await store.countSlots(late.ownerId)).toBe(1);
      expect(await slots.take(next, 1)).toBe('late');
      await allReleased();

      expect(await slots.take(ended, 1)).toEqual({ taken: true, running: 1 });
      await slots.free(ended);
      expect(await slots.take(next, 1)).toBe('late');
      await allReleased();
      expect(await slots.take(next, 1)).toEqual({ taken: true, running: 1 });
      expect(slots.refused).toBe(0);
    });
  });

  it('an account that runs as many without that slot as it may is refused for its limit', async () => {
    await withSlots(async (slots, store) => {
      const [ended, next, ...elsewhere] = newSlots(4) as [RequestSlot, RequestSlot, RequestSlot, RequestSlot];
      await slots.take(ended, 3);
      store.lostReleases = Infinity;
      await slots.free(ended);
      await withSlots(async (others) => {
        for (const slot of elsewhere) await others.take(slot, 3);
      });
      expect(await slots.take(next, 2)).toEqual({ taken: false, running: 3 });
    });
  });

  it('an account has as many slots as the store last let it have, and returns them', async () => {
    await withSlots(async (slots, store) => {
      const [first, ...more] = newSlots(3) as [RequestSlot, RequestSlot, RequestSlot];
      expect(await slots.take(first, 2)).toEqual({ taken: true, running: 1 });
      await slots.free(first);
      store.lateMs = 3_000;
      const passed = await Promise.all(more.map((slot) => slots.take(slot, 2)));
      expect(passed).toEqual(expect.arrayContaining(['late', { taken: true, running: expect.any(Number) }]));
      await Promise.all(more.map((slot) => slots.free(slot)));
      await eventually(async () =>
        expect([store.replies, await store.countSlots(first.ownerId)]).toEqual([3, 0]),
      );
      expect(slots.calls.unchecked).toBe(0);
    });
  });

  it('a slot that is taken twice, as when its request tries again, counts once', async () => {
    const store = new PostgresLimitStore(database.dataSource);
    const [slot, other] = newSlots(2) as [RequestSlot, RequestSlot];
    for (let i = 0; i < 2; i++)
      expect(await store.takeSlot(slot, 1, 60_000)).toEqual({ taken: true, running: 1 });
    expect(await store.takeSlot(other, 1, 60_000)).toEqual({ taken: false, running: 1 });
  });

  it('none of many requests at once passes, nor those after them', async () => {
    await withSlots(async (slots, store) => {
      store.lateMs = 3_000;
      const requests = newSlots(30);
      const take = async (slot: RequestSlot) => {
        const verdict = await slots.take(slot, 3);
        return verdict !== 'late' && verdict.taken;
      };
      const passed = await Promise.all(requests.slice(0, 20).map(take));
      passed.push(...(await Promise.all(requests.slice(20).map(take))));
      expect(passed.filter(Boolean)).toEqual([]);
    });
  });
});

it('slots that are renewed while others are being taken leave those their places', async () => {
  await withSlots(async (slots, store) => {
    const [first, second] = newSlots(2) as [RequestSlot, RequestSlot];
    expect(await slots.take(first, 2)).toEqual({ taken: true, running: 1 });
    store.beforeTaking = () => (slots as unknown as { renew(): Promise<void> }).renew();
    expect(await slots.take(second, 2)).toEqual({ taken: true, running: 2 });
    expect([slots.refused, slots.calls.unchecked]).toEqual([0, 0]);
    expect(await store.countSlots(first.ownerId)).toBe(2);
  });
});

describe('while the store is down', () => {
  it('an account runs as many in a process as its limit, and the store learns of them when it is back', async () => {
    await withSlots(async (slots, store) => {
      store.failure = 'ECONNREFUSED';
      const requests = newSlots(20);
      const verdicts = await Promise.all(requests.map((slot) => slots.take(slot, 3)));
      expect(verdicts.filter((verdict) => verdict !== 'late' && verdict.taken)).toHaveLength(3);
      expect([slots.calls.unchecked, slots.refused]).toEqual([3, 17]);
      store.failure = null;
      await eventually(async () => expect(await store.countSlots(requests[0]!.ownerId)).toBe(3));
      await slots.free(requests[0]!);
      expect(await store.countSlots(requests[0]!.ownerId)).toBe(2);
    });
  });
});

it('a release that the store has lost is repeated', async () => {
  await withSlots(async (slots, store) => {
    const [slot, next] = newSlots(2) as [RequestSlot, RequestSlot];
    expect(await slots.take(slot, 1)).toEqual({ taken: true, running: 1 });
    store.lostReleases = 3;
    await slots.free(slot);
    await eventually(async () => expect(await store.countSlots(slot.ownerId)).toBe(0), { withinMs: 4_000 });
    expect(await slots.take(next, 1)).toEqual({ taken: true, running: 1 });
  });
});
