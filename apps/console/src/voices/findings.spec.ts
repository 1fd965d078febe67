import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import { axisValues, findingsOf, nextPlace, timeText } from './findings';

const measured = (some: Partial<RecordingMeasurements>) =>
  ({ bandwidthHz: 7_800, noiseFloorDb: -60, ...some }) as RecordingMeasurements;

describe('findingsOf', () => {
  it('has what the review knows a place of, and leaves out what was not found', () => {
    const at = [
      { fromSecs: 1, toSecs: 1.5 },
      { fromSecs: 3, toSecs: 3.25 },
    ];
    const places = { clipped: at, dropouts: [], clicks: [], tooQuiet: [], humHz: [50, 100] };
    const found = findingsOf(measured({ places }));
    expect(found.map(({ label, detail }) => `${label}: ${detail}`)).toEqual([
      'Cut off: 2 places, 0.75 s',
      'Speech: ends at 7.8 kHz',
      'Hum: at 50, 100 Hz',
      'Noise: -60.0 dB between words',
    ]);
    expect(found[0]!.stretches).toEqual(at);
  });

  it('of a review without places are its lines alone', () => {
    expect(findingsOf(measured({ noiseFloorDb: null })).map(({ kind }) => kind)).toEqual(['bandwidth']);
  });
});

it('the next place follows in time, whatever it is, and the first follows the last', () => {
  const [late, early] = [
    { fromSecs: 4, toSecs: 5 },
    { fromSecs: 1, toSecs: 2 },
  ];
  expect(nextPlace([late, early], -1)).toBe(early);
  expect(nextPlace([late, early], 1)).toBe(late);
  expect(nextPlace([late, early], 4)).toBe(early);
  expect(nextPlace([], 0)).toBeNull();
});

it('an axis has round values, and not too many', () => {
  expect(axisValues(3, 5)).toEqual([0, 1, 2, 3]);
  expect(axisValues(95.2, 5)).toEqual([0, 20, 40, 60, 80]);
  expect(axisValues(600, 5)).toEqual([0, 120, 240, 360, 480, 600]);
});

it('a moment is read in minutes, seconds and tenths', () => {
  expect([0, 12.34, 59.96, 62.3, 600].map(timeText)).toEqual([
    '0:00.0',
    '0:12.3',
    '1:00.0',
    '1:02.3',
    '10:00.0',
  ]);
});
