import fc from 'fast-check';
import { FairQueue, type Waiting } from './fair-queue';

interface Item extends Waiting {
  id: number;
}

const items = fc
  .array(fc.record({ accountId: fc.constantFrom('a', 'b', 'c', 'd'), cost: fc.nat(100) }), { maxLength: 60 })
  .map((list) => list.map((item, id): Item => ({ ...item, id })));

const filled = (list: Item[]) => {
  const queue = new FairQueue<Item>();
  for (const item of list) queue.push(item);
  return queue;
};

const drain = (queue: FairQueue<Item>) => {
  const taken: Item[] = [];
  for (let item = queue.take(); item; item = queue.take()) taken.push(item);
  return taken;
};

/** Pushes items, takes some on the way, and returns in which order they were taken and what waited each time. */
function play(list: Item[], takeAfter: boolean[]): { taken: Item; waiting: Item[] }[] {
  const queue = new FairQueue<Item>();
  const turns: { taken: Item; waiting: Item[] }[] = [];
  let waiting: Item[] = [];
  const take = () => {
    const taken = queue.take();
    if (!taken) return false;
    turns.push({ taken, waiting });
    waiting = waiting.filter((item) => item !== taken);
    return true;
  };
  list.forEach((item, index) => {
    queue.push(item);
    waiting = [...waiting, item];
    if (takeAfter[index]) take();
  });
  while (take());
  return turns;
}

describe('the queue', () => {
  it('gives every other account that waits a turn between two turns of one', () => {
    fc.assert(
      fc.property(items, fc.array(fc.boolean(), { maxLength: 60 }), (list, takeAfter) => {
        const turns = play(list, takeAfter);
        turns.forEach(({ taken }, index) => {
          const next = turns.findIndex((turn, at) => at > index && turn.taken.accountId === taken.accountId);
          if (next < 0) return;
          const between = new Set(turns.slice(index + 1, next).map((turn) => turn.taken.accountId));
          const waited = turns[next]!.waiting.map(({ accountId }) => accountId);
          expect([...between]).toEqual(expect.arrayContaining(waited.filter((id) => id !== taken.accountId)));
        });
      }),
    );
  });

  it('takes everything once, in its order within an account', () => {
    fc.assert(
      fc.property(items, (list) => {
        const taken = drain(filled(list));
        expect([...taken].sort((a, b) => a.id - b.id)).toEqual(list);
        for (const account of ['a', 'b', 'c', 'd']) {
          const ids = taken.filter(({ accountId }) => accountId === account).map(({ id }) => id);
          expect(ids).toEqual([...ids].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('knows what would be taken before one more of an account', () => {
    fc.assert(
      fc.property(items, fc.constantFrom('a', 'b', 'e'), fc.nat(60), (list, accountId, takes) => {
        const queue = filled(list);
        for (let left = takes; left > 0; left--) queue.take();
        const expected = queue.costBefore(accountId);
        const mine = { accountId, cost: 0, id: -1 };
        queue.push(mine);
        const taken = drain(queue);
        const before = taken.slice(0, taken.indexOf(mine));
        expect(expected).toBe(before.reduce((sum, { cost }) => sum + cost, 0));
      }),
    );
  });

  it('removes an item that has left, and keeps the others in order', () => {
    fc.assert(
      fc.property(items, fc.nat(59), (list, at) => {
        const queue = filled(list);
        const item = list[at];
        if (!item) return;
        expect([queue.remove(item), queue.remove(item)]).toEqual([true, false]);
        expect(
          drain(queue)
            .map(({ id }) => id)
            .sort(),
        ).toEqual(
          list
            .filter((each) => each !== item)
            .map(({ id }) => id)
            .sort(),
        );
      }),
    );
  });
});
