import { forecastQueue } from './queue-forecast';

const load = { waiting: 0, meanWorkSecs: 0.5, slots: 4, slotsPerWorker: 2, busySecs: 120, observedSecs: 600 };

describe('the forecast of a queue', () => {
  it.each([
    ['nothing waits', {}, { utilisation: 0.05, drainsInSecs: 0, workersForTarget: 0 }],
    [
      '6,720 jobs of half a second wait for four slots',
      { waiting: 6_720 },
      { utilisation: 0.05, drainsInSecs: 840, workersForTarget: 6 },
    ],
    [
      'no worker runs',
      { waiting: 10, slots: 0, busySecs: 0 },
      { utilisation: null, drainsInSecs: null, workersForTarget: 1 },
    ],
    [
      'no job has ended yet',
      { waiting: 10, meanWorkSecs: null, busySecs: 0 },
      { utilisation: 0, drainsInSecs: null, workersForTarget: null },
    ],
    [
      'a worker has stopped since, and more was done than its slots allow',
      { slots: 1, slotsPerWorker: 1, busySecs: 1_200 },
      { utilisation: 1, drainsInSecs: 0, workersForTarget: 0 },
    ],
  ])('when %s', (_, input, expected) => {
    expect(forecastQueue({ ...load, ...input })).toEqual(expected);
  });
});
