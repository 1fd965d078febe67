import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { Slots, SlotsByOwner, WaitedTooLongError } from './slots';

/** Tasks that end on command, and the names of those that have begun. */
function heldTasks() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    task: (name: string) => async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    },
    end: (name: string) => ends.get(name)!(),
  };
}

it('so many at a time, the others in order', async () => {
  const { begun, task, end } = heldTasks();
  const slots = new Slots(2);
  const all = ['a', 'b', 'c', 'd'].map((name) => slots.run(task(name)));
  await pause(5);
  expect(begun).toEqual(['a', 'b']);
  end('b');
  await pause(5);
  expect(begun).toEqual(['a', 'b', 'c']);
  end('a');
  await pause(5);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  end('c');
  end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

it('a task that fails leaves its slot to the next', async () => {
  const slots = new Slots(1);
  const failed = slots.run(() => Promise.reject(new Error('no')));
  const next = slots.run(() => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

it('a task that waited too long does not begin, and those behind it keep their place', async () => {
  const { begun, task, end } = heldTasks();
  const slots = new Slots(1, 20);
  const first = slots.run(task('first'));
  const late = slots.run(task('late'));
  await expect(late).rejects.toThrow(WaitedTooLongError);
  const behind = slots.run(task('behind'));
  end('first');
  await first;
  await pause(30);
  expect(begun).toEqual(['first', 'behind']);
  end('behind');
  expect(await behind).toBe('behind');
});

it('a task whose signal aborts leaves the queue with its reason, and those behind it keep their place', async () => {
  const { begun, task, end } = heldTasks();
  const slots = new Slots(1);
  const first = slots.run(task('first'));
  const gone = new AbortController();
  const left = slots.run(task('left'), gone.signal);
  const behind = slots.run(task('behind'), new AbortController().signal);
  gone.abort(new Error('the caller has left'));
  await expect(left).rejects.toThrow('the caller has left');
  await expect(slots.run(task('never'), gone.signal)).rejects.toThrow('the caller has left');
  end('first');
  await first;
  await pause(5);
  expect(begun).toEqual(['first', 'behind']);
  end('behind');
  expect(await behind).toBe('behind');
});

it('a task that would wait too long is refused at once, with the time to try again after', async () => {
  const slots = new Slots(1, 300);
  await slots.run(() => pause(800));
  const { task, end } = heldTasks();
  const running = slots.run(task('running'));
  const waiting = slots.run(task('waiting'));
  const refused = slots.run(task('refused')).catch((error: unknown) => error);
  expect(await Promise.race([refused, setImmediate('waits')])).toMatchObject({ retryAfterSecs: 1 });
  end('running');
  await running;
  await pause(5);
  end('waiting');
  expect(await waiting).toBe('waiting');
});

it('owners do not wait for each other, and are removed with their last task', async () => {
  const { begun, task, end } = heldTasks();
  const slots = new SlotsByOwner(1, 1_000);
  const all = [slots.run('a', task('a1')), slots.run('a', task('a2')), slots.run('b', task('b1'))];
  await pause(5);
  expect(begun).toEqual(['a1', 'b1']);
  end('a1');
  await pause(5);
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  end('b1');
  end('a2');
  await Promise.all(all);
  expect((slots as unknown as { owners: Map<string, unknown> }).owners.size).toBe(0);
});
