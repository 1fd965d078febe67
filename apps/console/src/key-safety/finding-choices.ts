import { FINDING_KINDS, titleOf } from '@app/domain/keys/key-findings';

/** What can be found about a key, as choices of a filter. */
export const FINDING_CHOICES = FINDING_KINDS.map((value) => ({ value, label: titleOf(value) }));
