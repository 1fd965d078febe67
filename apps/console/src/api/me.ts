import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, type Schema, ME_KEY, queryClient } from './client';
import { drawFor } from './request-marks';

export type Me = Schema['MeResponse'];

export const meQuery = queryOptions({
  queryKey: ME_KEY,
  queryFn: async () => {
    const me = await api.GET('/admin/me');
    drawFor(me.id);
    return me;
  },
  staleTime: 60_000,
});

/** Nothing on the page is of the person who was signed in. */
export function clearPerson(): void {
  queryClient.clear();
  drawFor(null);
}

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** Whether the signed-in person may do this. The server decides; this only hides what it would refuse. */
export function useMay(): (permission: StaffPermission) => boolean {
  const { permissions } = useMe();
  return (permission) => (permissions as string[]).includes(permission);
}
