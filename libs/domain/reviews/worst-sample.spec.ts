import { worstSample } from './worst-sample';

const STUDIO = { grade: 'studio', score: 4.5 } as const;
const GOOD = { grade: 'good', score: 4.6 } as const;
const BAD = { grade: 'bad', score: 1.4 } as const;
const LOWER = { grade: 'bad', score: 1.2 } as const;
const UNREADABLE = { grade: 'bad', score: null } as const;

it.each([
  ['of one', [GOOD], GOOD],
  ['the grade goes before the score', [GOOD, STUDIO], GOOD],
  ['whatever the order', [STUDIO, BAD, GOOD], BAD],
  ['among equal grades the lower score', [BAD, LOWER, BAD], LOWER],
  ['what could not be measured is below every score', [LOWER, UNREADABLE], UNREADABLE],
])('the worst sample: %s', (_, samples, worst) => {
  expect(worstSample<(typeof samples)[number]>(samples)).toBe(worst);
});

it('the first of equal ones', () => {
  const [first, second] = [{ ...BAD }, { ...BAD }];
  expect(worstSample([first, second])).toBe(first);
});
