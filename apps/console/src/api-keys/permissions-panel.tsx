import type { Permission } from '@app/domain/keys/permissions';
import { useQuery } from '@tanstack/react-query';
import { api, unwrap, type Schema } from '../api/client';
import { plural } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';
import { usePermissionTexts } from './permission-texts';

type Use = Schema['PermissionSuggestionResponse'];

/** What a key may do, and what of it its requests have needed. */
export function PermissionsPanel({ keyId, permissions }: { keyId: string; permissions: string[] | 'all' }) {
  const textOf = usePermissionTexts();
  const use = useQuery({
    queryKey: ['api-key', keyId, 'permission-use'],
    queryFn: () =>
      unwrap(
        api.POST('/admin/api-keys/{key_id}/permissions/suggest', {
          params: { path: { key_id: keyId } },
          body: {},
        }),
      ),
    enabled: permissions !== 'all',
  });
  return (
    <Panel title="Permissions">
      {permissions === 'all' ? (
        'Everything, including permissions that are added later.'
      ) : (
        <dl className="gr-permissions">
          {permissions.map((name) => (
            <div key={name}>
              <dt className="gr-mono">{name}</dt>
              <dd className="gr-dimmed">
                {textOf(name as Permission)} {use.data && <UseOf name={name} use={use.data} />}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  );
}

/** How often requests of the key have needed a permission, of services too. */
function UseOf({ name, use: { permissions, days } }: { name: string; use: Use }) {
  const used = permissions.find((each) => each.name === name);
  if (used === undefined) return `Not used in ${plural(days, 'day')}.`;
  const { requests, last_used } = used;
  return (
    <>
      {plural(requests, 'request')} in {days} days, the last <Time at={last_used} relative />.
    </>
  );
}
