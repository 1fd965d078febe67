import { WHOLE_FORMATS, type OutputFormat } from '@app/audio/codecs/output-format';
import { tiersFrom, type Tier } from '@app/domain/accounts/tiers';
import { passes, refusal, refuses, type PureGate, type TierUse } from './gate';

/** The lowest tier that may ask for a format; formats that are not here are for everyone. */
const FORMAT_TIERS: Partial<Record<OutputFormat, Tier>> = {
  mp3_44100_192: 'creator',
  pcm_44100: 'pro',
  pcm_48000: 'pro',
  wav_44100: 'pro',
  wav_48000: 'pro',
};

/** The operations that make audio in the format that their query asks for. */
const FORMAT_ROUTES = ['POST /v1/text-to-voice/', 'POST /v1/text-to-speech/'];

/** Whether the tier of the account has what the request asks for: some output formats are not for every tier. */
export const TIER: PureGate<'tier', TierUse, 'feature_not_available'> = {
  name: 'tier',
  decide({ key: { tier }, format }) {
    const lowest = lowestMissing(tier, format);
    if (!lowest) return null;
    const params = { feature: `output_format ${format}`, tier, needs: `the tier ${lowest} or higher` };
    return refusal('tier_too_low', 'feature_not_available', params, { param: 'output_format' });
  },
  describe({ key: { tier }, format }) {
    const lowest = lowestMissing(tier, format);
    if (!lowest) return passes(`The tier ${tier} includes the operation.`);
    const rule = `The output format ${format} needs the tier ${lowest} or higher; the account has ${tier}.`;
    return refuses(rule, 'feature_not_available', [
      'Raise the tier, or request another format.',
      'edit_account',
    ]);
  },
};

/**
 * The output format that a request asks for; null when there is none.
 *
 * @param route method and path with placeholders; null when nothing serves the request
 */
export function requestedFormat(route: string | null, query: string): OutputFormat | null {
  if (!query.includes('output_format') || !FORMAT_ROUTES.some((start) => route?.startsWith(start)))
    return null;
  const requested = new URLSearchParams(query).get('output_format');
  return WHOLE_FORMATS.find((name) => name === requested) ?? null;
}

/** The lowest tier that has a format, if that is above this one. */
function lowestMissing(tier: Tier, format: OutputFormat | null): Tier | null {
  const lowest = format && FORMAT_TIERS[format];
  return !lowest || tiersFrom(lowest).includes(tier) ? null : lowest;
}
