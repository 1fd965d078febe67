/** What staff have decided against a voice: held while something is looked into, or taken down for good. */
export const SAFETY_STATES = ['held', 'taken_down'] as const;

export type SafetyState = (typeof SAFETY_STATES)[number];

/** The wire field `safety_control` of a voice; null for one that staff have nothing against. */
export type SafetyControl = 'CAPTCHA' | 'BAN';

const CONTROLS: Record<SafetyState, SafetyControl> = { held: 'CAPTCHA', taken_down: 'BAN' };

/** What the customer's programs read of a decision: a voice that a person must look at first, or one that is banned. */
export function safetyControlOf(state: SafetyState | null): SafetyControl | null {
  return state && CONTROLS[state];
}
