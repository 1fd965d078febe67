import { courseText, forecastText, paceText, secondsText } from './times-text';

describe('the forecast in words', () => {
  it.each([
    [{ waiting: 0, drains_in_secs: 0, workers_for_five_minutes: 0 }, 'nothing waits'],
    [
      { waiting: 6_720, drains_in_secs: 840, workers_for_five_minutes: 6 },
      '6,720 jobs wait, all started in 14 min; 6 workers for 5 minutes',
    ],
    [{ waiting: 1, drains_in_secs: 0.2, workers_for_five_minutes: 1 }, '1 job waits, all started in 1 s'],
    [
      { waiting: 9, drains_in_secs: null, workers_for_five_minutes: 1 },
      '9 jobs wait and no worker runs; 1 worker for 5 minutes',
    ],
    [
      { waiting: 9, drains_in_secs: null, workers_for_five_minutes: null },
      '9 jobs wait; nothing has ended in the last 10 minutes',
    ],
  ])('of %j', (forecast, text) => {
    expect(forecastText(forecast)).toBe(text);
  });
});

it.each([
  [0.08, '80 ms'],
  [1.26, '1.3 s'],
  [240, '4 min'],
])('%d s is %s', (secs, text) => {
  expect(secondsText(secs)).toBe(text);
});

it('the course of an hour in words', () => {
  expect(courseText([0, 3, 1_200, 0])).toBe('1,203 in all, at most 1,200 in a minute');
  expect(courseText([0, 0])).toBe('none');
});

it.each([
  [[0, 10, 20], 120, '10.0 a minute, empty in about 2 min'],
  [[9, ...Array<number>(10).fill(3)], null, '3.0 a minute'],
  [[], null, 'none lately'],
])('the pace of %j, empty in %p s', (ended, secs, text) => {
  expect(paceText(ended, secs)).toBe(text);
});
