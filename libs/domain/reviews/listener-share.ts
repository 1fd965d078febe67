import type { ReasonCode } from './recording-reasons';

type Impairments = Partial<Record<ReasonCode, number>>;

/** Impairments that a model of listeners rates as the rules do. */
const SHARED = [
  'background_noise',
  'signal_distortion',
  'processing_artifacts',
  'noise_suppression',
  'reverberation',
] as const;
/** What the model takes off for a narrow band, re what the rules take off: measured on clean telephone speech. */
const OF_NARROW_BAND = 0.6;

/**
 * Shares noise, distortion, artifacts and reverberation between the rules and a model of listeners. Squares are shared,
 * because impairments add up as squares: `(1 - share) * rules² + share * model²`, where the model's impairment is what
 * it takes off `best`, without its part for a narrow band, which the rules evaluate alone. When the model rates them lower than
 * the rules, they shrink in proportion; when higher, the rest is a separate impairment.
 *
 * @param impairments of the rules alone, in steps of the 1-5 scale
 * @param listenerScore of the model, 1 to 5
 * @param share of the model, 0 to 1
 * @param best score of a recording without impairments
 */
export function shareWithListener(
  impairments: Impairments,
  { listenerScore, share, best }: { listenerScore: number; share: number; best: number },
): Impairments {
  const byRules = SHARED.reduce((sum, code) => sum + (impairments[code] ?? 0) ** 2, 0);
  const narrowBand = OF_NARROW_BAND * (impairments.narrow_bandwidth ?? 0);
  const byModel = Math.max(0, Math.max(0, best - listenerScore) ** 2 - narrowBand ** 2);
  const shared = (1 - share) * byRules + share * byModel;
  if (shared > byRules) return { ...impairments, listener_score: Math.sqrt(shared - byRules) };
  const scale = byRules === 0 ? 1 : Math.sqrt(shared / byRules);
  const heard = SHARED.filter((code) => code in impairments);
  return { ...impairments, ...Object.fromEntries(heard.map((code) => [code, impairments[code]! * scale])) };
}
