import { VoiceTraits } from './voice-lexicon';
import { FliteVoice, RMS_F0 } from './flite-synthesizer';
import { seededRandom } from './seeded-random';
import { CastVoice, castVoice } from './voice-casting';

/** One voice as numbers: plain JSON. The same spec and text always give the same sound. */
export interface VoiceSpec {
  engine: 'flite';
  voice: FliteVoice;
  /** Mean pitch and its standard deviation, Hz. */
  f0: number;
  f0sd: number;
  /** Formants relative to the recorded voice; above 1 is a smaller speaker. */
  alpha: number;
  /** Length of sounds relative to the recorded voice; above 1 is slower. */
  stretch: number;
  /** 0 none .. 2 whispered. */
  breath: number;
  /** 0 none .. 1.5. */
  gravel: number;
  /** 0 none .. 1.5; left out in the specs of before it was known. */
  tremor?: number;
  /** Gain above about 1.5 kHz. */
  tiltDb: number;
  nasalDb: number;
  /** 0 none .. 1 old telephone. */
  lofi: number;
  lufs: number;
  noiseSeed: number;
}

export interface SpecRequest {
  description: string;
  traits: VoiceTraits;
  seed: number;
  /** -1..1. */
  loudness: number;
  /** 0..100. */
  guidanceScale: number;
  /** -1..1. */
  quality: number | null;
  base?: VoiceSpec | undefined;
}

export const PREVIEWS = [0, 1, 2] as const;
/** Pitch and vocal tract of the three previews: the middle, above, below. */
const OFFSETS = [0, 1, -1] as const;

/**
 * Three voices that fit one description, spread on purpose (pitch, vocal tract, tempo, brightness) instead of only
 * jittered, so that they can be distinguished. With `base` the description is a change to that voice.
 */
export function specsFor(request: SpecRequest): VoiceSpec[] {
  const shared = seededRandom('flite', request.description, request.seed);
  const turn = Math.floor(shared() * 6);
  const tempoSign = shared() < 0.5 ? 1 : -1;
  const tiltSign = shared() < 0.5 ? 1 : -1;
  return PREVIEWS.map((index) => {
    const random = seededRandom('flite', request.description, request.seed, index);
    const start = startingPoint(request, index, turn);
    const shaped = applyTraits(start, request.base ? changesOnly(request.traits) : request.traits);
    const offset = OFFSETS[index];
    const varied = vary(shaped, { offset, tempoSign, tiltSign, random, ...spreadOf(request) });
    const lufs = -24 + 8 * clamp(request.loudness, -1, 1);
    return settle({ ...varied, lufs, noiseSeed: Math.floor(random() * 2 ** 32) });
  });
}

/** A change that goes `strength` of the way: 0 nothing that has a degree, 0.5 (or null) as described, 1 twice as far. */
export function scaleTraits(traits: VoiceTraits, strength: number | null = null): VoiceTraits {
  const scaled = Object.entries(traits).map(([attribute, value]) => [
    attribute,
    typeof value === 'number' ? value * 2 * (strength ?? 0.5) : value,
  ]);
  return Object.fromEntries(scaled) as VoiceTraits;
}

/** The same voice at another pace; above 1 is faster. Limited to what still sounds like a voice. */
export function atSpeed(spec: VoiceSpec, speed: number): VoiceSpec {
  return { ...spec, stretch: round(clamp(spec.stretch / speed, 0.5, 2.5), 4) };
}

function startingPoint({ traits, base }: SpecRequest, index: number, turn: number): VoiceSpec {
  if (base && !needsAnotherVoice(base, traits)) return base;
  // One recorded voice for all three previews of a remix: it is one voice that changes.
  const cast = castVoice(traits, base ? 0 : index, base ? 0 : turn);
  return base ? { ...base, ...pick(cast), f0sd: cast.f0 * 0.1 } : plainSpec(cast);
}

function pick({ voice, f0, alpha }: CastVoice): Pick<CastVoice, 'voice' | 'f0' | 'alpha'> {
  return { voice, f0, alpha };
}

function plainSpec(cast: CastVoice): VoiceSpec {
  const untouched = { breath: 0, tiltDb: 0, nasalDb: 0, lofi: 0, lufs: -24, noiseSeed: 0 };
  return { engine: 'flite', ...cast, f0sd: cast.f0 * 0.1, ...untouched };
}

function needsAnotherVoice({ voice }: VoiceSpec, { gender, accent, robotic = 0 }: VoiceTraits): boolean {
  const isFemale = voice === 'slt';
  const isForeign = voice === 'awb';
  if (robotic > 0) return voice !== 'kal16';
  if (robotic < 0 && voice === 'kal16') return true;
  if (gender === 'neutral') return false;
  if (gender && (gender === 'female') !== isFemale) return true;
  return !isFemale && accent !== undefined && (accent !== 'american') !== isForeign;
}

/** In a change, "old" is a step like "older". */
function changesOnly(traits: VoiceTraits): VoiceTraits {
  const steps = { child: -4, teen: -2, young: -1, middle_aged: 0.5, old: 1.5 };
  const fromAge = traits.age ? steps[traits.age] : 0;
  return { ...traits, aging: (traits.aging ?? 0) + fromAge };
}

function applyTraits(spec: VoiceSpec, traits: VoiceTraits): VoiceSpec {
  const { pitch = 0, pace = 0, expressiveness = 0, size = 0, aging = 0, robotic = 0 } = traits;
  const { breath = 0, gravel = 0, tremor = 0, nasal = 0, brightness = 0, lofi = 0 } = traits;
  const pitchFactor = semitones(3.5 * pitch - 0.6 * aging);
  const liveliness = (expressiveness > 0 ? 1.6 : 2) ** expressiveness * (robotic > 0 ? 0.1 : 1);
  return {
    ...spec,
    f0: spec.f0 * pitchFactor,
    f0sd: spec.f0sd * pitchFactor * liveliness,
    alpha: spec.alpha * 1.03 ** pitch * 0.93 ** size * 0.98 ** aging,
    stretch: spec.stretch * 0.84 ** pace * 1.06 ** aging,
    breath: spec.breath + 0.8 * breath,
    gravel: spec.gravel + 0.8 * gravel + 0.2 * aging,
    tremor: (spec.tremor ?? 0) + tremor,
    tiltDb: spec.tiltDb + 4 * brightness,
    nasalDb: spec.nasalDb + 8 * nasal,
    lofi: spec.lofi + lofi,
  };
}

interface Variation {
  offset: number;
  tempoSign: number;
  tiltSign: number;
  spread: number;
  pitchSpread: number;
  random: () => number;
}

/** The more guidance and quality, the closer together; a remix stays nearer to its voice than a new design. */
function spreadOf({
  traits,
  guidanceScale,
  quality,
  base,
}: SpecRequest): Pick<Variation, 'spread' | 'pitchSpread'> {
  const obedience = 1.15 - 0.75 * Math.min(1, guidanceScale / 40);
  const spread = obedience * (1 - 0.3 * (quality ?? 0)) * (base ? 0.55 : 1);
  return { spread, pitchSpread: traits.pitch === undefined ? 2.2 : 1.3 };
}

function vary(
  spec: VoiceSpec,
  { offset, tempoSign, tiltSign, spread, pitchSpread, random }: Variation,
): VoiceSpec {
  const jitter = () => (random() - 0.5) * 0.4;
  // On `rms` pitch and vocal tract are one control, so it gets more of it, and of the others.
  const fixedPitch = spec.voice === 'rms';
  const step = (size: number, wider: number, sign: number) =>
    (fixedPitch ? size * wider : size) * spread * (offset * sign + jitter());
  return {
    ...spec,
    f0: spec.f0 * semitones(step(pitchSpread, pitchSpread < 2 ? 1.5 : 1, 1)),
    alpha: spec.alpha * (1 + step(0.045, 1, 1)),
    stretch: spec.stretch * (1 + step(0.05, 1.6, tempoSign)),
    tiltDb: spec.tiltDb + step(1.5, 1.6, tiltSign),
  };
}

/** Keeps every number where the engine sounds like a voice, and rounds it: the spec is stored and shown. */
function settle(spec: VoiceSpec): VoiceSpec {
  const requested = spec.voice === 'rms' ? spec.f0 / RMS_F0 : spec.alpha;
  const alpha = round(clamp(requested, 0.78, 1.3), 4);
  const f0 = spec.voice === 'rms' ? RMS_F0 * alpha : clamp(spec.f0, 65, 380);
  return {
    ...spec,
    alpha,
    f0: round(f0, 2),
    f0sd: round(clamp(spec.f0sd, 1, f0 * 0.3), 2),
    stretch: round(clamp(spec.stretch, 0.62, 1.7), 4),
    breath: round(clamp(spec.breath, 0, 2), 3),
    gravel: round(clamp(spec.gravel, 0, 1.5), 3),
    tremor: round(clamp(spec.tremor ?? 0, 0, 1.5), 3),
    tiltDb: round(clamp(spec.tiltDb, -12, 12), 2),
    nasalDb: round(clamp(spec.nasalDb, 0, 14), 2),
    lofi: round(clamp(spec.lofi, 0, 1), 3),
    lufs: round(spec.lufs, 2),
  };
}

function semitones(steps: number): number {
  return 2 ** (steps / 12);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

function round(value: number, digits: number): number {
  // JSON knows no -0.
  return Number(value.toFixed(digits)) + 0;
}
