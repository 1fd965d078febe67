import type { Permission } from '@app/domain/keys/permissions';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { plural } from '../components/number';
import { Panel } from '../components/page';
import { ShareList } from '../components/share-list';
import { Time } from '../components/time';
import { usePermissionTexts } from './permission-picker';

/** What a key may do, and what of it its requests have needed, of services too. */
export function PermissionsPanel({ keyId, permissions }: { keyId: string; permissions: string[] | 'all' }) {
  const textOf = usePermissionTexts();
  const use = useQuery({
    queryKey: ['api-key', keyId, 'permission-use'],
    queryFn: () => api.POST('/admin/api-keys/{key_id}/permissions/suggest', keyId, {}),
  });
  const { permissions: used = [], requests = 0, days = 30 } = use.data ?? {};
  const shown = permissions === 'all' ? used.map(({ name }) => name) : permissions;
  const rows = shown.map((name) => {
    const times = used.find((each) => each.name === name);
    return {
      id: name,
      name: <span className="gr-mono">{name}</span>,
      share: times && requests > 0 ? times.requests / requests : 0,
      note: (
        <>
          {textOf(name as Permission)}{' '}
          {times ? (
            <>
              {plural(times.requests, 'request')} in {days} days, the last{' '}
              <Time at={times.last_used} relative />.
            </>
          ) : (
            use.data && `Not used in ${plural(days, 'day')}.`
          )}
        </>
      ),
    };
  });
  return (
    <Panel title="What it may do" note={plural(days, 'day')}>
      {permissions === 'all' && <p>Everything, including permissions that are added later.</p>}
      <ShareList name="Permissions" rows={rows.toSorted((one, other) => other.share - one.share)} />
    </Panel>
  );
}
