import { requireOffered } from '@app/audio/encode-audio';
import { OUTPUT_FORMATS, type OutputFormat } from '@app/audio/output-format';
import { DomainError } from '@app/domain/errors';
import { tiersFrom, type Tier } from '@app/domain/tiers';

/** The lowest tier that may ask for a format; formats that are not here are for everyone. */
const FORMAT_TIERS: Partial<Record<OutputFormat, Tier>> = {
  mp3_44100_192: 'creator',
  pcm_44100: 'pro',
  pcm_48000: 'pro',
};

/** The lowest tier that may ask for this format, if `tier` may not; else null. */
export function tierMissingFor(format: string | null, tier: Tier): Tier | null {
  const known = OUTPUT_FORMATS.find((name) => name === format);
  const lowest = known && FORMAT_TIERS[known];
  return !lowest || tiersFrom(lowest).includes(tier) ? null : lowest;
}

/**
 * Refuses a format that is not made here, or that the tier does not have. Without a format every tier gets the default.
 *
 * @throws DomainError `output_format_not_offered`, `feature_not_available`
 */
export function requireFormat(format: OutputFormat | undefined, tier: Tier): void {
  if (!format) return;
  requireOffered(format);
  const lowest = tierMissingFor(format, tier);
  if (lowest === null) return;
  throw new DomainError(
    'feature_not_available',
    { feature: `output_format ${format}`, tier, needs: `the tier ${lowest} or higher` },
    { param: 'output_format' },
  );
}
