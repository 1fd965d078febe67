import { resample } from '@app/audio/signal/resample';
import { measureRecording } from '@app/audio/measures/measure-recording';
import { decideRecording } from '@app/domain/reviews/recording-verdict';
import { renderVoice } from './render-voice';
import { understandDescription } from './voice-description';
import { specsFor } from './voice-spec';

const TEXT = 'The first snow of the year had fallen in the night, and nobody had walked along the lane yet.';
const STORED_RATE = 44_100;

describe('a review of the embedded voices finds none narrow and none poor', () => {
  it.each([
    'A calm middle-aged woman with a warm low voice',
    'A deep old man with a gravelly voice',
    'An energetic young woman from London',
    'A breathy young woman whispering secrets',
    'A husky female jazz singer',
    'A patient grandfather telling stories',
    'An old radio announcer',
    'A small child, excited',
    'A giant with an enormous deep booming voice',
    'A robotic assistant without any feelings',
    'A British butler of an old house',
    'A bright cheerful teenage girl',
    'A nasal office clerk',
    'A very slow tired old woman',
    'A fast talking auctioneer',
    'A neutral narrator of audiobooks',
    'A Scottish fisherman with a rough voice',
    'A very deep bass male movie trailer voice',
    'A soft spoken airy female meditation guide',
    'A dark whispery villain',
  ])('%s', async (description) => {
    const { traits } = understandDescription(description);
    const request = { description, traits, seed: 7, loudness: 0.5, guidanceScale: 5, quality: null };
    for (const spec of specsFor(request)) {
      const { samples, sampleRate } = renderVoice(TEXT, spec);
      const stored = resample(samples, sampleRate, STORED_RATE);
      const measured = await measureRecording({ samples: stored, sampleRate: STORED_RATE });
      const { grade, reasonText } = decideRecording(measured);
      expect({ reasonText, isFine: ['good', 'ok'].includes(grade) }).toEqual({ reasonText, isFine: true });
      expect(measured.bandwidthHz).toBeGreaterThan(7_000);
    }
  });
});
