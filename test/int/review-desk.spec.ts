import { Logger } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../libs/database/data-source';
import { closeReviewItem, ReviewItemRepository } from '../../libs/database/reviews/review-item.repository';
import { VoiceRepository } from '../../libs/database/voices/voice.repository';
import { newPublicId } from '../../libs/domain/common/public-id';
import type { DeskReason } from '../../libs/domain/reviews/desk-reasons';
import { newSample, newVoice } from '../support/review-bench';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let dataSource: DataSource;
let desk: ReviewItemRepository;

const ANA = randomUUID();
const BO = randomUUID();

beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  desk = new ReviewItemRepository(dataSource);
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('DELETE FROM review_item'));

/** A reviewed voice that waits for these reasons; returns its item. */
async function waiting(...reasons: DeskReason[]): Promise<{ id: string; voiceId: string }> {
  const voiceId = newPublicId(randomBytes);
  await new VoiceRepository(dataSource).insert(
    newVoice(voiceId, 'req_test'),
    [newSample(voiceId, 1)],
    dataSource.manager,
  );
  await dataSource.query(
    `UPDATE voice SET review_state = 'completed', recording_quality = 'ok' WHERE id = $1`,
    [voiceId],
  );
  return { id: await desk.open(voiceId, reasons, dataSource.manager), voiceId };
}

const age = (id: string) =>
  dataSource.query(`UPDATE review_item SET taken_until = now() - interval '1 s' WHERE id = $1`, [id]);
const take = (id: string, who: string, over = false) => desk.take(id, who, over, dataSource.manager);

it('many who ask for the next item at the same time each get another one, and nobody gets one twice', async () => {
  const items = await Promise.all(Array.from({ length: 12 }, () => waiting('sampled')));
  const people = Array.from({ length: 14 }, () => randomUUID());
  const taken = await Promise.all(people.map((person) => desk.takeNext(person, {})));
  const got = taken.filter((id) => id !== null);
  expect(new Set(got).size).toBe(got.length);
  // SKIP LOCKED may miss an item that another statement just looks at; asking again finds it.
  const rest = [];
  for (
    let id = await desk.takeNext(randomUUID(), {});
    id !== null;
    id = await desk.takeNext(randomUUID(), {})
  )
    rest.push(id);
  expect([...got, ...rest].toSorted()).toEqual(items.map(({ id }) => id).toSorted());
});

it('an item stays with its holder until the lock expires; then another person can take it', async () => {
  const { id } = await waiting('low_confidence');
  expect(await desk.takeNext(ANA, {})).toBe(id);
  expect(await desk.takeNext(ANA, {})).toBe(id);
  expect(await desk.takeNext(BO, {})).toBeNull();
  expect(await take(id, BO)).toBe(false);
  await age(id);
  expect(await desk.takeNext(BO, {})).toBe(id);
  expect(await take(id, ANA)).toBe(false);
  expect(await take(id, ANA, true)).toBe(true);
  expect((await desk.lock(id, dataSource.manager))?.takenBy).toBe(ANA);
});

it('the most pressing reason comes first, then the earlier target; the own, the assigned, the snoozed are respected', async () => {
  const sampled = await waiting('sampled');
  const near = await waiting('near_boundary');
  const complaint = await waiting('complaint');
  const mine = await waiting('sampled');
  await desk.assign(mine.id, ANA, dataSource.manager);
  await desk.snooze(near.id, 60, 'waits for the customer', dataSource.manager);
  const order = [];
  for (let id = await desk.takeNext(ANA, {}); id !== null; id = await desk.takeNext(ANA, {})) {
    order.push(id);
    await closeReviewItem(
      (await desk.find(id))!.voiceId,
      { by: 'ana', decision: 'confirmed', grade: 'ok' },
      dataSource.manager,
    );
  }
  expect(order).toEqual([mine.id, complaint.id, sampled.id]);
  expect(await desk.summarise(ANA)).toEqual({ waiting: 0, overdue: 0, snoozed: 1, reasons: [] });
  expect(await desk.takeNext(BO, { reason: 'near_boundary' })).toBeNull();
});

it('a voice has one open item; a new verdict frees it, and closes it unless a person or the customer has asked', async () => {
  const { id, voiceId } = await waiting('low_confidence');
  expect(await desk.open(voiceId, ['complaint'], dataSource.manager, 'too harsh')).toBe(id);
  await desk.takeNext(ANA, {});
  await desk.renew(voiceId, [], dataSource.manager);
  expect(await desk.find(id)).toMatchObject({
    reasons: ['complaint'],
    takenBy: null,
    decision: null,
    note: 'too harsh',
  });

  const other = await waiting('low_confidence');
  await desk.renew(other.voiceId, ['near_boundary'], dataSource.manager);
  expect(await desk.find(other.id)).toMatchObject({ reasons: ['near_boundary'], decision: null });
  await desk.renew(other.voiceId, [], dataSource.manager);
  expect(await desk.find(other.id)).toMatchObject({ decision: 'superseded' });
  expect(await desk.takeNext(BO, { reason: 'near_boundary' })).toBeNull();
});

it('pages follow each other without a gap', async () => {
  for (let n = 0; n < 5; n++) await waiting(n % 2 ? 'complaint' : 'sampled');
  const filter = { state: 'open', staffId: ANA } as const;
  const all = await desk.list(filter, { limit: 10, after: null });
  const first = await desk.list(filter, { limit: 2, after: null });
  const rest = await desk.list(filter, { limit: 10, after: first[1]! });
  expect([...first, ...rest].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  expect(all.map(({ rank }) => rank)).toEqual([-2, -2, 0, 0, 0]);
  expect(await desk.count(filter)).toBe(5);
});
