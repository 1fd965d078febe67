import { PERMISSION_TEXTS } from '@app/domain/keys/permission-texts';
import type { Permission } from '@app/domain/keys/permissions';
import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client';
import { plural } from '../components/number';

/** Says what a permission lets a key do, and how many operations require it. */
export function usePermissionTexts(): (name: Permission) => string {
  const query = useQuery({
    queryKey: ['key-permissions'],
    queryFn: () => unwrap(api.GET('/admin/key-permissions')),
    staleTime: Infinity,
  });
  const operations = new Map(query.data?.items.map((item) => [item.name, item.operations.length]));
  return (name) => {
    const count = operations.get(name);
    const where =
      count === undefined
        ? ''
        : count === 0
          ? ' Nothing here uses it.'
          : ` ${plural(count, 'operation')} here.`;
    return PERMISSION_TEXTS[name] + where;
  };
}
