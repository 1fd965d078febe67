import { UnderstoodDescription } from './voice-description';
import { VoiceTraits } from './voice-lexicon';
import { FliteVoice } from './flite-synthesizer';

/** A recorded voice and how far to bend it: where shaping starts. */
export interface CastVoice {
  voice: FliteVoice;
  /** Hz. */
  f0: number;
  /** Formants relative to the recording; above 1 is a smaller speaker. */
  alpha: number;
  stretch: number;
  gravel: number;
}

type Age = NonNullable<VoiceTraits['age']>;
type Kind = 'female' | 'male' | 'neutral';
type Build = Omit<CastVoice, 'voice'>;

const BUILDS: Record<Kind, Record<Age | 'any', Build>> = {
  female: {
    any: { f0: 190, alpha: 1, stretch: 1, gravel: 0 },
    child: { f0: 265, alpha: 1.17, stretch: 0.97, gravel: 0 },
    teen: { f0: 218, alpha: 1.07, stretch: 0.95, gravel: 0 },
    young: { f0: 203, alpha: 1.03, stretch: 0.97, gravel: 0 },
    middle_aged: { f0: 184, alpha: 1, stretch: 1.02, gravel: 0 },
    old: { f0: 174, alpha: 0.97, stretch: 1.12, gravel: 0.3 },
  },
  male: {
    any: { f0: 110, alpha: 1, stretch: 1, gravel: 0 },
    child: { f0: 245, alpha: 1.13, stretch: 0.97, gravel: 0 },
    teen: { f0: 142, alpha: 1.09, stretch: 0.95, gravel: 0 },
    young: { f0: 119, alpha: 1.03, stretch: 0.97, gravel: 0 },
    middle_aged: { f0: 109, alpha: 1, stretch: 1.02, gravel: 0 },
    old: { f0: 106, alpha: 0.97, stretch: 1.14, gravel: 0.35 },
  },
  neutral: {
    any: { f0: 156, alpha: 0.98, stretch: 1, gravel: 0 },
    child: { f0: 255, alpha: 1.15, stretch: 0.97, gravel: 0 },
    teen: { f0: 190, alpha: 1.05, stretch: 0.95, gravel: 0 },
    young: { f0: 162, alpha: 1, stretch: 0.97, gravel: 0 },
    middle_aged: { f0: 152, alpha: 0.98, stretch: 1.02, gravel: 0 },
    old: { f0: 146, alpha: 0.96, stretch: 1.12, gravel: 0.3 },
  },
};

/**
 * Picks the recorded voice for preview `index`. Where the description leaves several open (a man without an accent,
 * a speaker without a gender) the previews take turns, beginning at `turn`.
 */
export function castVoice(traits: VoiceTraits, index: number, turn: number): CastVoice {
  const choices = suitableVoices(traits);
  const voice = choices[(index + turn) % choices.length] ?? 'slt';
  const kind = traits.gender ?? (voice === 'slt' ? 'female' : 'male');
  return { voice, ...BUILDS[kind][traits.age ?? 'any'] };
}

function suitableVoices({ gender, age, accent, robotic = 0 }: VoiceTraits): FliteVoice[] {
  const foreign = accent === 'british' || accent === 'scottish';
  if (robotic > 0) return ['kal16'];
  if (gender === 'female' || age === 'child') return ['slt'];
  if (foreign) return ['awb'];
  if (gender === 'neutral') return accent === 'american' ? ['slt'] : ['slt', 'awb'];
  if (accent === 'american') return gender === 'male' ? ['rms'] : ['slt', 'rms'];
  return gender === 'male' ? ['rms', 'awb'] : ['slt', 'rms', 'awb'];
}

/** BCP 47 tag of what a recorded voice speaks. */
export function languageOf(voice: FliteVoice): 'en-GB' | 'en-US' {
  return voice === 'awb' ? 'en-GB' : 'en-US';
}

/** The accent that the description requests and this voice does not have. */
export function missingAccent(understood: UnderstoodDescription, voice: FliteVoice): string | null {
  const requested = understood.traits.accent;
  const got = voice === 'awb' ? ['british', 'scottish'] : ['american'];
  return understood.unavailableAccent ?? (requested && !got.includes(requested) ? requested : null);
}
