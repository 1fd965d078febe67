import { REASON_CODES } from '@app/domain/reviews/recording-reasons';
import { RECORDING_GRADES, REVIEW_STATES } from '@app/domain/reviews/review-state';
import { SAFETY_STATES } from '@app/domain/voices/voice-safety';
import { TAG_FILTER } from '../components/labels';
import type { Filter } from '../components/list-filters';

export const VOICE_FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Name or id', kind: 'search' },
  { name: 'account_id', label: 'Account', kind: 'account' },
  { name: 'status', label: 'Status', choices: REVIEW_STATES },
  { name: 'grade', label: 'Grade', choices: RECORDING_GRADES },
  {
    name: 'reason_code',
    label: 'Reason',
    choices: [
      ...REASON_CODES,
      { value: 'manual', label: 'graded by a person' },
      { value: 'within_targets', label: 'within targets' },
    ],
  },
  {
    name: 'safety',
    label: 'Held or taken down',
    choices: [...SAFETY_STATES, { value: 'none', label: 'neither' }],
  },
  TAG_FILTER,
  { name: 'created_since', label: 'Created since', kind: 'date' },
  { name: 'created_before', label: 'Created before', kind: 'date' },
];
