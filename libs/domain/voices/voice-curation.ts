import { contentVersion } from '../common/version';
import type { SafetyState } from './voice-safety';

/** What staff decide about a voice beside its review. */
export interface VoiceCuration {
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly safetyState: SafetyState | null;
  readonly safetyNotice: string | null;
  readonly sharedAt: Date | null;
}

/** The version of what staff decide about a voice; that of its review is another. */
export function curationVersion(voice: VoiceCuration): number {
  const { tags, aliases, safetyState, safetyNotice, sharedAt } = voice;
  return contentVersion({ tags, aliases, safetyState, safetyNotice, shared: sharedAt !== null });
}
