import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../libs/database/data-source';
import { GenerationSlots } from '../../libs/limits/generation-slots';
import type { Slot } from '../../libs/limits/limit-store';
import { PostgresLimitStore } from '../../libs/limits/postgres-limit-store';
import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** The store of a database that responds after the request has passed without a limit. */
class LateStore extends PostgresLimitStore {
  taken = 0;

  override async takeSlot(slot: Slot, limit: number, leaseMs: number) {
    await pause(700);
    const response = await super.takeSlot(slot, limit, leaseMs);
    this.taken = response.running;
    return response;
  }
}

it('a slot that is taken after its request has passed without one is released', async () => {
  const store = new LateStore(dataSource);
  const slots = new GenerationSlots(store);
  const slot = { id: randomUUID(), accountId: randomUUID() };
  try {
    expect(await slots.take(slot, 1)).toBeNull();
    await eventually(
      async () => expect([store.taken, await store.countSlots(slot.accountId)]).toEqual([1, 0]),
      { withinMs: 5_000 },
    );
  } finally {
    slots.onApplicationShutdown();
  }
});
