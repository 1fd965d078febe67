import { WEBHOOK_SLOTS } from '@app/queue/jobs';
import { DeliverySlots } from './delivery-slots';

/** Takes slots until one is refused: how many there were, and the delay of the refusal. */
function takeAll(slots: DeliverySlots, accountId: string, endpointOf: (index: number) => string) {
  const releases: (() => void)[] = [];
  for (;;) {
    const slot = slots.take(accountId, endpointOf(releases.length));
    if ('delaySecs' in slot) return { releases, delaySecs: slot.delaySecs };
    releases.push(slot.release);
  }
}

describe('the slots of a worker', () => {
  it('give one endpoint an eighth', () => {
    expect(takeAll(new DeliverySlots(WEBHOOK_SLOTS), 'account', () => 'endpoint').releases).toHaveLength(
      WEBHOOK_SLOTS / 8,
    );
  });

  it('give one account a quarter, however many endpoints it has, and leave the rest to others', () => {
    const slots = new DeliverySlots(WEBHOOK_SLOTS);
    expect(takeAll(slots, 'one', (index) => `one-${index}`).releases).toHaveLength(WEBHOOK_SLOTS / 4);
    expect(slots.take('other', 'other-1')).toHaveProperty('release');
  });

  it('are free again when they are released', () => {
    const slots = new DeliverySlots(WEBHOOK_SLOTS);
    const { releases } = takeAll(slots, 'account', () => 'endpoint');
    expect(slots.take('account', 'endpoint')).toHaveProperty('delaySecs');
    for (const release of releases) release();
    expect(takeAll(slots, 'account', () => 'endpoint').releases).toHaveLength(releases.length);
  });

  it('put deliveries back one behind the other, at least 5 s and at most 5 minutes', () => {
    const slots = new DeliverySlots(WEBHOOK_SLOTS);
    const delays = [takeAll(slots, 'account', () => 'endpoint').delaySecs];
    for (let count = 0; count < 2_000; count += 1) {
      const slot = slots.take('account', 'endpoint');
      if ('delaySecs' in slot) delays.push(slot.delaySecs);
    }
    expect(delays).toEqual([...delays].sort((one, other) => one - other));
    expect([delays[0], delays[1_000], delays.at(-1)]).toEqual([5, 1_001 / 4, 300]);
  });
});
