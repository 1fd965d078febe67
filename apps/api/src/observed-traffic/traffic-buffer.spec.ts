import { fromWords, ipv4 } from '@app/domain/addresses/ip-address';
import { toCounts, toMarks, TrafficBuffer, type Sighting } from './traffic-buffer';

const HOUR_MS = 3_600_000;
const NOW_MS = 500_000 * HOUR_MS;
const ROUTE = 'GET /v1/voices/:voice_id';

function sighting(overrides: Partial<Sighting> = {}): Sighting {
  return {
    keyId: 'key',
    secretNumber: 1,
    atMs: NOW_MS,
    route: ROUTE,
    address: ipv4(0xcb007101),
    outcome: 'served',
    ...overrides,
  };
}

const letIn = (keyId: string, requestId: string) => ({
  keyId,
  at: new Date(NOW_MS),
  route: 'POST /v1/text-to-voice',
  address: '203.0.113.1',
  status: 200,
  durationMs: 12,
  requestId,
});

const refusal = (keyId: string, requestId: string) => ({
  keyId,
  at: new Date(NOW_MS),
  route: ROUTE,
  address: '203.0.113.1',
  gate: 'ip' as const,
  cost: null,
  reason: 'address_not_listed',
  status: 403,
  requestId,
});

describe('what is gathered', () => {
  it('is counted apart by key, operation, address and outcome, with the first and the last time', () => {
    const buffer = new TrafficBuffer();
    const different: Partial<Sighting>[] = [
      {},
      { keyId: 'other' },
      { route: 'GET /v1/models' },
      { address: ipv4(0xcb007102) },
      { address: fromWords(0x20010db8, 0, 0, 1) },
      { address: fromWords(0x20010db8, 0, 1, 0) },
      { address: null },
      { outcome: 'ip' },
    ];
    for (const round of [5, 1, 3]) {
      for (const each of different) buffer.add(sighting({ ...each, atMs: NOW_MS + round }));
    }
    const counts = toCounts(buffer.take().counters);
    expect(counts).toHaveLength(different.length);
    expect(counts[0]).toEqual({
      keyId: 'key',
      hour: new Date(NOW_MS),
      route: 'GET /v1/voices/:voice_id',
      address: '203.0.113.1',
      outcome: 'served',
      requests: 3,
      firstAt: new Date(NOW_MS + 1),
      lastAt: new Date(NOW_MS + 5),
    });
    expect(counts.every(({ requests }) => requests === 3)).toBe(true);
    expect(new Set(counts.map(({ address }) => address))).toEqual(
      new Set(['203.0.113.1', '203.0.113.2', '2001:db8::1', '2001:db8::1:0:0', 'unknown']),
    );
    expect(buffer.take()).toEqual({ counters: [], refusals: [], requests: [], uses: [] });
  });

  it('is one use for each secret, the latest, and none of requests that were not let in', () => {
    const buffer = new TrafficBuffer();
    buffer.add(sighting({ atMs: NOW_MS + 2, address: ipv4(2) }));
    buffer.add(sighting({ atMs: NOW_MS + 1, address: ipv4(1) }));
    buffer.add(sighting({ secretNumber: 2, atMs: NOW_MS }));
    buffer.add(sighting({ secretNumber: null, atMs: NOW_MS + 9 }));
    expect(toMarks(buffer.take().uses)).toEqual([
      { keyId: 'key', secretNumber: 1, at: new Date(NOW_MS + 2), address: '0.0.0.2' },
      { keyId: 'key', secretNumber: 2, at: new Date(NOW_MS), address: '203.0.113.1' },
    ]);
  });

  it('is not lost when it could not be stored', () => {
    const buffer = new TrafficBuffer();
    buffer.add(sighting({ atMs: NOW_MS }));
    buffer.refuse(refusal('key', 'a'));
    buffer.keep(letIn('key', 'b'));
    const failed = buffer.take();
    buffer.add(sighting({ atMs: NOW_MS + 10, address: ipv4(9) }));
    buffer.add(sighting({ atMs: NOW_MS + 10 }));
    buffer.putBack(failed);
    const { counters, refusals, requests, uses } = buffer.take();
    expect(toCounts(counters)).toMatchObject([
      { requests: 2, firstAt: new Date(NOW_MS), lastAt: new Date(NOW_MS + 10) },
      { address: '0.0.0.9', requests: 1 },
    ]);
    expect(refusals).toHaveLength(1);
    expect(requests).toEqual([letIn('key', 'b')]);
    expect(toMarks(uses)).toMatchObject([{ at: new Date(NOW_MS + 10) }]);
  });
});

describe('what is due', () => {
  const requests = (buffer: TrafficBuffer, nowMs?: number) =>
    toCounts(buffer.take(nowMs).counters).map((count) => count.requests);

  it('is what is new, at once, and more of the same eight seconds after the last of it', () => {
    const buffer = new TrafficBuffer();
    buffer.add(sighting());
    expect(requests(buffer, 0)).toEqual([1]);
    buffer.add(sighting());
    expect(requests(buffer, 7_999)).toEqual([]);
    buffer.add(sighting({ atMs: NOW_MS + 7_000 }));
    const { counters, uses } = buffer.take(8_000);
    expect(toCounts(counters)).toMatchObject([{ requests: 2, lastAt: new Date(NOW_MS + 7_000) }]);
    expect(toMarks(uses)).toMatchObject([{ at: new Date(NOW_MS + 7_000) }]);
    buffer.add(sighting());
    expect(requests(buffer, 9_000)).toEqual([]);
    buffer.add(sighting({ address: ipv4(9) }));
    expect(requests(buffer, 9_001)).toEqual([1, 1]);
  });

  it('is a refusal, a new secret, and what could not be stored', () => {
    const buffer = new TrafficBuffer();
    buffer.add(sighting());
    buffer.take(0);
    buffer.refuse(refusal('key', 'a'));
    expect(buffer.take(1).refusals).toHaveLength(1);
    buffer.add(sighting({ secretNumber: 2 }));
    const failed = buffer.take(2);
    expect(failed.uses).toHaveLength(1);
    buffer.putBack(failed);
    expect(buffer.take(3)).toMatchObject({ counters: [{ requests: 1 }], uses: [{ secretNumber: 2 }] });
  });

  it('is everything without a time, and a key is then due no later than before', () => {
    const buffer = new TrafficBuffer();
    buffer.add(sighting());
    buffer.take(0);
    buffer.add(sighting());
    expect(requests(buffer)).toEqual([1]);
    buffer.add(sighting());
    expect(requests(buffer, 8_000)).toEqual([1]);
  });
});

describe('the bounds', () => {
  it('a key from ten thousand addresses takes the room of two hundred, and every request is counted', () => {
    const buffer = new TrafficBuffer();
    for (let i = 0; i < 10_000; i++) buffer.add(sighting({ address: ipv4(i) }));
    const counts = toCounts(buffer.take().counters);
    expect(counts).toHaveLength(201);
    expect(counts.find(({ address }) => address === 'other')).toMatchObject({ requests: 9_800 });
    expect(buffer.dropped).toBe(0);
  });

  it('a flood of keys ends in a bounded number of counts, and says how many requests it did not count', () => {
    const buffer = new TrafficBuffer();
    for (let i = 0; i < 110_000; i++) buffer.add(sighting({ keyId: `key-${i}` }));
    expect(buffer.dropped).toBe(10_000);
    const gathered = buffer.take();
    expect([gathered.counters.length, gathered.uses.length]).toEqual([100_000, 100_000]);
  });

  it('the newest hundred requests of a key that were let in are kept, and five thousand in all', () => {
    const buffer = new TrafficBuffer();
    for (let i = 0; i < 120; i++) buffer.keep(letIn('key', `request-${i}`));
    for (let i = 0; i < 6_000; i++) buffer.keep(letIn(`key-${i}`, 'x'));
    const { requests } = buffer.take();
    expect(requests).toHaveLength(5_000);
    const ofKey = requests.filter(({ keyId }) => keyId === 'key').map(({ requestId }) => requestId);
    expect([ofKey.length, ofKey[0], ofKey.at(-1)]).toEqual([100, 'request-20', 'request-119']);
  });

  it('keys of which nothing is pending make room for others', () => {
    const buffer = new TrafficBuffer();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 60_000; i++) buffer.add(sighting({ keyId: `key-${round}-${i}` }));
      expect(buffer.take().uses).toHaveLength(60_000);
    }
    expect(buffer.dropped).toBe(0);
  });

  it('addresses that are used once do not take the room of those of the next flush', () => {
    const buffer = new TrafficBuffer();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 150; i++) buffer.add(sighting({ address: ipv4(round * 1_000 + i) }));
      expect(toCounts(buffer.take().counters).filter(({ address }) => address === 'other')).toEqual([]);
    }
  });

  it('the newest fifty refusals of a key are kept, and five thousand in all', () => {
    const buffer = new TrafficBuffer();
    for (let i = 0; i < 60; i++) buffer.refuse(refusal('key', `request-${i}`));
    for (let i = 0; i < 6_000; i++) buffer.refuse(refusal(`key-${i}`, 'x'));
    const { refusals } = buffer.take();
    expect(refusals).toHaveLength(5_000);
    const ofKey = refusals.filter(({ keyId }) => keyId === 'key').map(({ requestId }) => requestId);
    expect([ofKey.length, ofKey[0], ofKey.at(-1)]).toEqual([50, 'request-10', 'request-59']);
  });
});
