import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { createRootRoute, createRoute, redirect, type RouteComponent } from '@tanstack/react-router';
import { ApiProblem } from './api/problem';
import { queryClient, readFirst, type Place, meQuery } from './api/client';
import { lazyScreen } from './api/lazy-screen';
import { painted } from './components/painted';
import { SCREENS, type Screen, type ScreenPath } from './screens';
import { NotFoundPage, ScreenProblem, ScreenProblemInShell } from './shell/problem-pages';
import { Shell } from './shell/shell';

const root = createRootRoute({ errorComponent: ScreenProblem });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyScreen(() => import('./session/sign-in-page'), 'SignInPage'),
});

/** Everything that needs a session. */
const staff = createRoute({
  getParentRoute: () => root,
  id: 'staff',
  component: Shell,
  errorComponent: ScreenProblem,
  beforeLoad: async ({ location, cause }) => {
    try {
      await queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: { to: location.href } as never });
    }
    return { isFirst: cause === 'enter' };
  },
});

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What the screen needs; the shell says so to those who may not. */
    needs?: StaffPermission;
    /** Reads what the screen shows first at a place of it. */
    prepare?: (place: Place) => void;
  }
}

/** A screen in a separate file. */
function screen<Path extends ScreenPath>(path: Path) {
  const { needs, load, isWorkedThrough = false }: Screen = SCREENS[path];
  const component: RouteComponent = lazyScreen(load, 'default');
  // What fails here fails on the screen again, which says so.
  const prepare = (place: Place) => void readBefore(needs, load, place).catch(() => undefined);
  return createRoute({
    getParentRoute: () => staff,
    path,
    component,
    errorComponent: ScreenProblemInShell,
    staticData: { needs, prepare },
    // To draw a screen, or another list, takes long: that it is on its way shows before that.
    beforeLoad: ({ preload, cause, context }) =>
      preload || context.isFirst || (cause === 'stay' && isWorkedThrough)
        ? undefined
        : painted(requestAnimationFrame),
    loader: ({ preload, params, location: { search } }) => {
      if (preload) prepare({ params, search });
    },
  });
}

/** While the reader points at a link to it, a screen reads what it shows first. */
async function readBefore(needs: Screen['needs'], load: Screen['load'], place: Place) {
  const permissions: string[] = (await queryClient.ensureQueryData(meQuery)).permissions;
  if (needs === undefined || permissions.includes(needs)) readFirst(await load(), place);
}

export const routeTree = root.addChildren([
  signIn,
  staff.addChildren([
    ...(Object.keys(SCREENS) as ScreenPath[]).map(screen),
    createRoute({ getParentRoute: () => staff, path: '/$', component: NotFoundPage }),
  ]),
]);
