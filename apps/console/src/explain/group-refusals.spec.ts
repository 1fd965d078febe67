import { groupRefusals, type Refusal } from './group-refusals';

const refusal = (request_id: string, more: Partial<Refusal> = {}): Refusal => ({
  at: '2026-11-22T12:00:00Z',
  gate: 'ip',
  reason: 'not_on_list',
  status: 403,
  route: 'GET /v1/models',
  address: '198.51.100.7',
  request_id,
  cost: null,
  ...more,
});

it('counts refusals of the same request for the same reason, under the newest of them', () => {
  const groups = groupRefusals([
    refusal('5'),
    refusal('4', { address: '203.0.113.10' }),
    refusal('3'),
    refusal('2', { route: 'GET /v1/voices' }),
    refusal('1'),
  ]);
  expect(groups.map(({ newest, count }) => [newest.request_id, count])).toEqual([
    ['5', 3],
    ['4', 1],
    ['2', 1],
  ]);
});

it('groups nothing of no refusals', () => {
  expect(groupRefusals([])).toEqual([]);
});
