import { estimatePiece, slowestSpeechSecs } from './speech-estimate';

/** What Flite takes a character of prose at the slowest speed: 61.5 s for 1,000 characters at its own. */
const MEASURED_SECS = 0.0615 / 0.7;

it('a text of prose has the time that it takes to speak at the slowest speed', () => {
  const text = 'The bell rang twice, and after that the harbour was as quiet as before. '.repeat(500);
  const secs = slowestSpeechSecs(estimatePiece({ text, outputFormat: 'mp3_44100_128' }).speechSecs);
  expect(secs).toBeGreaterThan(text.length * MEASURED_SECS);
  expect(secs).toBeLessThan(text.length * MEASURED_SECS * 1.5);
});
