import { DISABLE_REASONS } from '@app/domain/keys/disable-reasons';
import { FINDING_KINDS, titleOf } from '@app/domain/keys/key-findings';
import { KEY_STATUSES } from '@app/domain/keys/key-status';
import { PERMISSIONS } from '@app/domain/keys/permissions';
import { LABEL_FILTERS, MANAGER_FILTER } from '../components/labels';
import { named, type Filter } from '../components/list-filters';
import type { Preset } from '../components/saved-views';

/** What can be found about a key, as choices of a filter. */
const FINDING_CHOICES = FINDING_KINDS.map((value) => ({ value, label: titleOf(value) }));

const PERCENT = ['50', '80', '90', '100'];

/** What the list of keys can be narrowed to. */
export const KEY_FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Name or id', kind: 'search' },
  { name: 'account_id', label: 'Account', kind: 'account' },
  { name: 'status', label: 'Status', kind: 'choice', choices: named(KEY_STATUSES) },
  { name: 'disable_reason', label: 'Disabled because', kind: 'choice', choices: named(DISABLE_REASONS) },
  { name: 'hint', label: 'Ends in', kind: 'text', placeholder: 'Last four' },
  {
    name: 'permission',
    label: 'May do',
    kind: 'choice',
    choices: PERMISSIONS.map((value) => ({ value, label: value })),
  },
  {
    name: 'has_allow_list',
    label: 'Allow-list',
    kind: 'choice',
    choices: [
      { value: 'true', label: 'with' },
      { value: 'false', label: 'without' },
    ],
  },
  { name: 'finding', label: 'Finding', kind: 'choice', choices: FINDING_CHOICES },
  {
    name: 'min_credits_percent',
    label: 'Credits used',
    kind: 'choice',
    choices: PERCENT.map((value) => ({ value, label: `${value}% or more` })),
  },
  MANAGER_FILTER,
  ...LABEL_FILTERS,
  { name: 'used_since', label: 'Used since', kind: 'date' },
  { name: 'unused_since', label: 'Not used since', kind: 'date' },
  { name: 'expiring_before', label: 'Expires before', kind: 'date' },
  { name: 'refused_since', label: 'Refused traffic since', kind: 'date' },
  { name: 'list_refused_since', label: 'Refused by its allow-list since', kind: 'date' },
  { name: 'service_account_id', label: 'Service account', kind: 'text', placeholder: 'Its id' },
];

export const KEY_PRESETS: readonly Preset[] = [
  {
    label: 'Expiring in 30 days',
    search: { status: 'enabled', expiring_before: '+30d', sort: 'expires_at' },
  },
  { label: 'Unused for 90 days', search: { status: 'enabled', unused_since: '-90d', sort: 'last_used_at' } },
  {
    label: '80 % of credits used',
    search: { status: 'enabled', min_credits_percent: '80', sort: '-credit_share' },
  },
  { label: 'Refused traffic, 7 days', search: { refused_since: '-7d' } },
];
