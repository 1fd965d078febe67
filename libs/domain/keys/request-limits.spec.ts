import { limitInWindow, windowName } from './request-limits';

const SECOND = 1_000;
const at = (...limits: (number | null)[]) =>
  limitInWindow(
    SECOND,
    limits.map((limit, place) => ({ id: `key ${place}`, limit })),
  );

it("is the key's own, or that of its nearest maker, and never more than a maker further up has", () => {
  expect(at(null, null)).toBeNull();
  expect(at(5, null)?.requests).toBe(5);
  expect(at(5, null, 3)?.requests).toBe(3);
  expect(at(5, null, 9)?.requests).toBe(5);
  expect(at(null, 7, 9)).toEqual({ ...at(null, 7)!, requests: 7 });
});

it('is counted where nothing else of the key is', () => {
  const ids = [
    at(1)!.keyId,
    at(null, 1)!.keyId,
    limitInWindow(86_400_000, [{ id: 'key 0', limit: 1 }])!.keyId,
  ];
  expect(new Set([...ids, 'key 0']).size).toBe(4);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect([windowName(SECOND), windowName(60_000), windowName(86_400_000)]).toEqual([
    'second',
    'minute',
    'day',
  ]);
});
