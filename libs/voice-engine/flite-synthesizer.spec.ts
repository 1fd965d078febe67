import { synthesizeWithFlite, FliteVoice } from './flite-synthesizer';
import { speakableText } from './speakable-text';

function speak(text: string, voice: FliteVoice = 'kal16', stretch = 1) {
  return synthesizeWithFlite(text, { voice, f0: 120, f0sd: 12, stretch });
}

describe('synthesizeWithFlite', () => {
  it.each(['slt', 'rms', 'awb', 'kal16'] as const)(
    'speaks 16 kHz with %s, the same way every time',
    (voice) => {
      const once = speak('Hello there.', voice);
      expect(once.sampleRate).toBe(16_000);
      expect(once.samples.length).toBeGreaterThan(8_000);
      expect(Math.max(...once.samples)).toBeGreaterThan(0.05);
      expect(speak('Hello there.', voice).samples).toEqual(once.samples);
    },
  );

  it.each([
    ['another text with another voice', () => speak('The harbour was quiet that morning.', 'awb', 1.3)],
    ['minutes of digits', () => speak('0 '.repeat(1_000))],
    [
      'a text that crashed it',
      () => expect(() => speak('?!'.repeat(3_000))).toThrow(WebAssembly.RuntimeError),
    ],
  ])('speaks the same way after %s', (_, before) => {
    const { samples } = speak('Hello there.', 'slt');
    before();
    expect(speak('Hello there.', 'slt').samples).toEqual(samples);
  });

  it('follows the pace', () => {
    const [plain, slow] = [speak('Good morning everyone.'), speak('Good morning everyone.', 'kal16', 1.5)];
    expect(slow.samples.length / plain.samples.length).toBeGreaterThan(1.3);
  });

  it('speaks a last sentence of one word', () => {
    const [without, withIt] = [speak('It is done.'), speak('It is done. Yes')];
    expect(withIt.samples.length - without.samples.length).toBeGreaterThan(4_000);
  });

  it.each([
    ['emoji', '😀👍🏽🎉 party time 🎈'],
    ['NUL and control characters', 'a\0b\u0001\u001b[31mc\u007f'],
    ['right-to-left', '\u202eevil\u202c مرحبا hello'],
    ['lone surrogates', 'hi \ud800 there \udfff'],
    ['1,000 characters of punctuation and one letter', `${'!?.,'.repeat(250)}a`],
    ['one long word', 'a'.repeat(1000)],
    ['shouted letters', 'W'.repeat(1000)],
    ['digits', '9'.repeat(1000)],
    ['amounts', '$1,234,567.89 '.repeat(70)],
    ['SSML', '<speak><prosody rate="x-slow"><break time="99999s"/>hello</prosody></speak>'],
    ['command line', '-voice /etc/passwd --setf x=y `id` $(id) %s%n'],
    ['quotes and brackets', `((("'"'"{}[]<>hello<>))))`],
  ])('survives %s', (_, text) => {
    const { samples } = speak(speakableText(text));
    expect(samples.length).toBeGreaterThan(1_600);
    expect(samples.length).toBeLessThan(16_000 * 240);
  });
});
