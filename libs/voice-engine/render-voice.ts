import { nasalize, tilt } from './equalize';
import { fillTop } from './fill-top';
import { synthesizeWithFlite, type SynthesizedSpeech } from './flite-synthesizer';
import { levelTo } from './level-loudness';
import { narrowBand } from './narrow-band';
import { resampleSpeech } from './resample-speech';
import { addBreath, addGravel, addTremor } from './roughen';
import { VoiceSpec } from './voice-spec';

/**
 * Speaks `text` with the voice of `spec`: 16 kHz mono. Synchronous and CPU-bound: call it in a worker thread. The same
 * arguments give the same samples.
 *
 * @param text from `speakableText`
 */
export function renderVoice(text: string, spec: VoiceSpec): SynthesizedSpeech {
  const { breath, gravel, tremor = 0, f0, noiseSeed } = spec;
  const spoken = speakWithVocalTract(text, spec);
  const shaky = addTremor(fillTop(spoken, noiseSeed), tremor, noiseSeed);
  const rough = addBreath(addGravel(shaky, gravel, f0, noiseSeed), breath, noiseSeed);
  const shaped = nasalize(tilt(rough, spec.tiltDb), spec.nasalDb);
  const { timeWords } = spoken;
  return { ...levelTo(narrowBand(shaped, spec.lofi, noiseSeed), spec.lufs), timeWords };
}

/**
 * Formants move by `alpha` and nothing else does: spoken `alpha` times longer and lower, then played `alpha` times
 * faster, which brings length and pitch back to where they should be.
 */
function speakWithVocalTract(
  text: string,
  { voice, f0, f0sd, alpha, stretch }: VoiceSpec,
): SynthesizedSpeech {
  const slow = { voice, f0: f0 / alpha, f0sd: f0sd / alpha, stretch: stretch * alpha };
  const { samples, sampleRate, timeWords } = synthesizeWithFlite(text, slow);
  return {
    samples: resampleSpeech(samples, sampleRate * alpha, sampleRate),
    sampleRate,
    timeWords: () =>
      timeWords().map(({ startSecs, endSecs }) => ({
        startSecs: startSecs / alpha,
        endSecs: endSecs / alpha,
      })),
  };
}
