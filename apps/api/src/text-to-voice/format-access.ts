import { requireOffered } from '@app/audio/codecs/encode-audio';
import { OUTPUT_FORMATS, type OutputFormat } from '@app/audio/codecs/output-format';
import { DomainError, type ErrorParams } from '@app/domain/errors';
import { tiersFrom, type Tier } from '@app/domain/accounts/tiers';

/** The lowest tier that may request a format; formats that are not here are for every tier. */
const FORMAT_TIERS: Partial<Record<OutputFormat, Tier>> = {
  mp3_44100_192: 'creator',
  pcm_44100: 'pro',
  pcm_48000: 'pro',
};

/** The operations that produce audio in the format of their query. */
const FORMAT_ROUTES = 'POST /v1/text-to-voice/';

/** A format that a tier does not have, and the lowest one that does. */
export interface MissingFormat {
  format: OutputFormat;
  tier: Tier;
  lowest: Tier;
}

/**
 * The requested format that its account's tier does not have; null when the tier has it.
 *
 * @param route method and path with placeholders; null when nothing serves the request
 */
export function missingFormat(route: string | null, query: string, tier: Tier): MissingFormat | null {
  if (!query.includes('output_format') || !route?.startsWith(FORMAT_ROUTES)) return null;
  const asked = new URLSearchParams(query).get('output_format');
  const format = OUTPUT_FORMATS.find((name) => name === asked);
  return format ? missing(format, tier) : null;
}

function missing(format: OutputFormat, tier: Tier): MissingFormat | null {
  const lowest = FORMAT_TIERS[format];
  return !lowest || tiersFrom(lowest).includes(tier) ? null : { format, tier, lowest };
}

/**
 * Refuses a format that is not offered here, or that the tier does not have. Without a format every tier gets the default.
 *
 * @throws DomainError `output_format_not_offered`, `feature_not_available`
 */
export function requireFormat(format: OutputFormat | undefined, tier: Tier): void {
  if (!format) return;
  requireOffered(format);
  const lacking = missing(format, tier);
  if (lacking)
    throw new DomainError('feature_not_available', formatNeeds(lacking), { param: 'output_format' });
}

/** The refusal of a request for a format that its tier does not have. */
export function formatNeeds({ format, tier, lowest }: MissingFormat): ErrorParams {
  return { feature: `output_format ${format}`, tier, needs: `the tier ${lowest} or higher` };
}
