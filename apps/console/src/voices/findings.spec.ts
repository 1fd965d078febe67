import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import { axisValues, findingsOf, timeText } from './findings';

const measured = (some: Partial<RecordingMeasurements>) =>
  ({ bandwidthHz: 7_800, noiseFloorDb: -60, ...some }) as RecordingMeasurements;

describe('findingsOf', () => {
  it('has what the review knows a place of, and leaves out what was not found', () => {
    const at = [{ fromSecs: 1, toSecs: 1.5 }];
    const places = { clipped: at, dropouts: [], clicks: [], tooQuiet: [], humHz: [50, 100] };
    const found = findingsOf(measured({ places }));
    expect(found.map(({ label }) => label)).toEqual([
      'Cut off',
      'Hum at 50, 100 Hz',
      'The speech ends at 7.8 kHz',
      'Noise between words at -60.0 dB',
    ]);
    expect(found[0]!.stretches).toEqual(at);
    expect(found.at(-1)!.level).toBeCloseTo(0.001);
  });

  it('of a review without places are its lines alone', () => {
    expect(findingsOf(measured({ noiseFloorDb: null })).map(({ kind }) => kind)).toEqual(['bandwidth']);
  });
});

it('an axis has round values, and not too many', () => {
  expect(axisValues(3, 5)).toEqual([0, 1, 2, 3]);
  expect(axisValues(95.2, 5)).toEqual([0, 20, 40, 60, 80]);
  expect(axisValues(600, 5)).toEqual([0, 120, 240, 360, 480, 600]);
});

it('a place is read in seconds, and beyond a minute in minutes', () => {
  expect([12.34, 59.94, 62.3, 600].map(timeText)).toEqual(['12.3 s', '59.9 s', '1:02.3 min', '10:00.0 min']);
});
