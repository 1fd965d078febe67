import { PERMISSION_TEXTS } from '@app/domain/keys/permission-texts';
import type { Permission } from '@app/domain/keys/permissions';
import { useQuery } from '@tanstack/react-query';
import { read } from '../api/client';
import { plainName } from '../components/name';
import { plural } from '../components/number';

/** Says what a permission lets a key do, how many operations require it, and which services have checked it. */
export function usePermissionTexts(): (name: Permission) => string {
  const query = useQuery({
    ...read(['key-permissions'], '/admin/key-permissions'),
    staleTime: Infinity,
  });
  const uses = new Map(query.data?.items.map((item) => [item.name, item]));
  return (name) => [PERMISSION_TEXTS[name], ...whereUsed(uses.get(name))].join(' ');
}

function whereUsed(use: { operations: string[]; services: string[] } | undefined): string[] {
  if (use === undefined) return [];
  const { operations, services } = use;
  if (operations.length === 0 && services.length === 0) return ['Nothing here uses it.'];
  return [
    ...(operations.length === 0 ? [] : [`${plural(operations.length, 'operation')} here.`]),
    ...(services.length === 0 ? [] : [`Checked by ${services.map(plainName).join(', ')}.`]),
  ];
}
