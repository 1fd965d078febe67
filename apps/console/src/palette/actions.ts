import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import type { PaletteEntry } from './entries';

interface Place {
  accountId?: string;
  keyId?: string;
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
    return [{ id: `action ${path}`, group: 'Actions', label, detail, to: path }];
  });
}
