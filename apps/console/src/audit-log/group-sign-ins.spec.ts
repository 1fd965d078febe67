import { groupSignIns } from './group-sign-ins';

const refused = (at: string, id: string, attempts?: number, address = '198.51.100.7') => ({
  action: 'staff.sign_in_refused',
  at,
  address,
  target: { id },
  after: { cause: 'wrong_password', ...(attempts && { attempts }) },
});
const other = (at: string) => ({
  action: 'staff.signed_in',
  at,
  address: '198.51.100.7',
  target: { id: 'ana' },
  after: null,
});
const shortly = (events: Parameters<typeof groupSignIns>[0]) =>
  groupSignIns(events).map(({ at, target, refusals }) => [
    at,
    target.id,
    refusals?.attempts,
    refusals?.since,
  ]);

it('adds up refused sign-ins as one person from one address, at the place of the newest', () => {
  expect(
    shortly([
      refused('09:30', 'ana', 40),
      refused('09:20', 'ben'),
      refused('09:10', 'ana', 7),
      refused('09:00', 'ana'),
    ]),
  ).toEqual([
    ['09:30', 'ana', 48, '09:00'],
    ['09:20', 'ben', 1, '09:20'],
  ]);
});

it('keeps those from another address, and those before another event, apart', () => {
  expect(
    shortly([
      refused('09:30', 'ana'),
      refused('09:20', 'ana', 2, '203.0.113.9'),
      other('09:10'),
      refused('09:00', 'ana', 3),
    ]),
  ).toEqual([
    ['09:30', 'ana', 1, '09:30'],
    ['09:20', 'ana', 2, '09:20'],
    ['09:10', 'ana', undefined, undefined],
    ['09:00', 'ana', 3, '09:00'],
  ]);
});
