import { cutSpeechFrames } from '@app/audio/signal/speech-frames';
import { meanSquare, powerDb } from '@app/audio/signal/statistics';
import { synthesizeWithFlite } from './flite-synthesizer';
import { spectrumDistanceDb } from '../../test/support/audio/voice-measures';
import { whisper } from './whisper';

const voices = ['slt', 'rms', 'awb', 'kal16'] as const;

describe.each(voices)('%s, whispered', (voice) => {
  const spoken = synthesizeWithFlite('Nobody could say who had painted the door blue.', {
    voice,
    f0: 140,
    f0sd: 14,
    stretch: 1,
  });
  const whispered = { ...spoken, samples: whisper(spoken.samples, spoken.sampleRate, 7) };

  it('is as loud, and has the same sounds', () => {
    const gain = powerDb(meanSquare(whispered.samples)) - powerDb(meanSquare(spoken.samples));
    expect(Math.abs(gain)).toBeLessThan(1);
    expect(spectrumDistanceDb(whispered, spoken)).toBeLessThan(4);
  });

  it('has no voice', async () => {
    const [before, after] = await Promise.all(
      [spoken, whispered].map(async ({ samples, sampleRate }) => cutSpeechFrames(samples, sampleRate)),
    );
    expect(before!.voiced.length).toBeGreaterThan(50);
    expect(after!.voiced.length).toBeLessThan(before!.voiced.length / 5);
  });
});

it('silence stays silence', () => {
  expect(whisper(new Float32Array(16_000), 16_000, 7).every((x) => x === 0)).toBe(true);
});
