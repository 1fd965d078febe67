import { TimerControl } from './timer-control';

const paused = (name: string, forMs = 60_000) => ({ paused: [{ name, forMs }], toRun: [] });
const NONE = { paused: [], toRun: [] };

describe('TimerControl', () => {
  const woken: string[] = [];
  let control: TimerControl;
  beforeEach(() => {
    woken.length = 0;
    control = new TimerControl();
    control.onWake((name) => void woken.push(name));
  });

  it('lets a timer run until it is paused, and wakes it when the pause is over', () => {
    expect(control.admit('preview-expiry')).toBe('by_clock');
    control.follow(paused('preview-expiry'));
    expect(control.admit('preview-expiry')).toBeNull();
    expect(control.admit('limit-expiry')).toBe('by_clock');
    control.follow(NONE);
    expect([control.admit('preview-expiry'), woken]).toEqual(['by_clock', ['preview-expiry']]);
  });

  it('ends a pause by itself when no further order can be read', () => {
    control.follow(paused('preview-expiry', -1));
    expect(control.admit('preview-expiry')).toBe('by_clock');
  });

  it('lets a paused timer run once by hand', () => {
    control.follow({ ...paused('preview-expiry'), toRun: ['preview-expiry'] });
    expect([control.admit('preview-expiry'), control.admit('preview-expiry')]).toEqual(['by_hand', null]);
    expect(woken).toEqual(['preview-expiry']);
  });

  it('never pauses what always runs, whatever the database says, and skips names of other releases', () => {
    control.follow({ ...paused('outbox-relay'), toRun: ['of another release'] });
    expect(control.admit('outbox-relay')).toBe('by_clock');
    expect(woken).toEqual([]);
  });
});
