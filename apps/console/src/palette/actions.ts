import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import type { PaletteEntry } from './entries';

interface Place {
  accountId?: string;
  keyId?: string;
  voiceId?: string;
}

interface Action {
  label: string;
  detail: string;
  needs?: StaffPermission;
  /** Where it is done; none when it cannot be done from here. */
  to: (place: Place) => string | undefined;
}

const ACTIONS: readonly Action[] = [
  {
    label: 'New API key',
    detail: 'For the account on this screen.',
    needs: 'keys.write',
    to: ({ accountId }) => accountId && `/accounts/${accountId}/new-key`,
  },
  {
    label: 'New API key',
    detail: 'Choose its account first.',
    needs: 'keys.write',
    to: ({ accountId }) => (accountId ? undefined : '/accounts'),
  },
  {
    label: 'Edit the allow-list',
    detail: 'Of the key on this screen.',
    needs: 'keys.read',
    to: ({ keyId }) => keyId && `/api-keys/${keyId}/allow-list`,
  },
  {
    label: 'Grant credits',
    detail: 'To the account on this screen.',
    needs: 'accounts.write',
    to: ({ accountId }) => accountId && `/accounts/${accountId}/credits?do=grant`,
  },
  {
    label: 'Rotate the secret',
    detail: 'Of the key on this screen.',
    needs: 'keys.write',
    to: ({ keyId }) => keyId && `/api-keys/${keyId}?do=rotate`,
  },
  {
    label: 'Disable the key',
    detail: 'On this screen.',
    needs: 'keys.write',
    to: ({ keyId }) => keyId && `/api-keys/${keyId}?do=disable`,
  },
  {
    label: 'Hold or take down the voice',
    detail: 'On this screen.',
    needs: 'voices.review',
    to: ({ voiceId }) => voiceId && `/voices/${voiceId}?do=safety`,
  },
  {
    label: 'Take the next voice',
    detail: 'At the review desk.',
    needs: 'voices.review',
    to: () => '/review-desk?do=next',
  },
  {
    label: 'Sign-in and sessions',
    detail: 'Your password, second factor and sessions.',
    to: () => '/security',
  },
];

/** What can be done from where the reader is. */
export function actionEntries(may: (permission: StaffPermission) => boolean, place: Place): PaletteEntry[] {
  return ACTIONS.flatMap(({ label, detail, needs, to }) => {
    const path = to(place);
    if (path === undefined || (needs && !may(needs))) return [];
    const [screen = '', query = ''] = path.split('?');
    const search = Object.fromEntries(new URLSearchParams(query));
    return [{ id: `action ${path}`, group: 'Actions', label, detail, to: screen, search }];
  });
}
