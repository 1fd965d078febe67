import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { createRootRoute, createRoute, redirect, type RouteComponent } from '@tanstack/react-router';
import { ApiProblem } from './api/problem';
import { queryClient, readFirst, type FirstQueries, type Place, meQuery } from './api/client';
import { lazyScreen } from './api/lazy-screen';
import { painted } from './components/painted';
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

/**
 * A screen in a separate file.
 *
 * @param options.isWorkedThrough keys follow on each other faster than frames: what is next in it opens at once
 */
function screen<const Path extends string>(
  path: Path,
  needs: StaffPermission | undefined,
  load: Load,
  { isWorkedThrough = false } = {},
) {
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

/** Fetches the file of a screen. */
type Load = () => Promise<{ default: RouteComponent; firstQueries?: FirstQueries }>;

/** While the reader points at a link to it, a screen reads what it shows first. */
async function readBefore(needs: StaffPermission | undefined, load: Load, place: Place) {
  const permissions: string[] = (await queryClient.ensureQueryData(meQuery)).permissions;
  if (needs === undefined || permissions.includes(needs)) readFirst(await load(), place);
}

const ofAccount = <const P extends string>(part: P, needs: StaffPermission, load: Load) =>
  screen(`/accounts/$accountId/${part}` as const, needs, load);

export const routeTree = root.addChildren([
  signIn,
  staff.addChildren([
    screen('/', undefined, () => import('./shell/home-page')),
    screen('/security', undefined, () => import('./security/security-page')),
    screen('/accounts', 'accounts.read', () => import('./accounts/accounts-page')),
    screen('/accounts/$accountId', 'accounts.read', () => import('./accounts/account-page')),
    ofAccount('api-keys', 'keys.read', () => import('./accounts/account-keys-page')),
    ofAccount('credits', 'accounts.read', () => import('./accounts/account-credits-page')),
    ofAccount('report', 'accounts.read', () => import('./accounts/month-report-page')),
    ofAccount('voices', 'voices.read', () => import('./accounts/account-voices-page')),
    ofAccount('allow-lists', 'keys.read', () => import('./accounts/account-allow-lists-page')),
    ofAccount('key-safety', 'keys.read', () => import('./accounts/account-safety-page')),
    ofAccount('activity', 'audit.read_own_actions', () => import('./accounts/account-activity-page')),
    ofAccount('settings', 'accounts.read', () => import('./accounts/account-settings-page')),
    ofAccount('alerts', 'accounts.read', () => import('./accounts/account-alerts-page')),
    ofAccount('new-key', 'keys.write', () => import('./api-keys/new-key-page')),
    ofAccount('webhooks', 'accounts.read', () => import('./accounts/account-webhooks-page')),
    ofAccount('webhooks/$webhookId', 'accounts.read', () => import('./webhooks/webhook-page')),
    screen('/api-keys', 'keys.read', () => import('./api-keys/api-keys-page')),
    screen('/api-keys/$keyId', 'keys.read', () => import('./api-keys/api-key-page')),
    screen('/api-keys/$keyId/allow-list', 'keys.read', () => import('./allow-list/allow-list-page')),
    screen('/api-keys/$keyId/explain', 'keys.explain', () => import('./explain/explain-page')),
    ofAccount('allow-list', 'accounts.read', () => import('./allow-list/allow-list-page')),
    screen('/key-safety', 'keys.read', () => import('./key-safety/key-safety-page')),
    screen('/key-safety/policies', 'keys.read', () => import('./key-policies/key-policies-page')),
    screen('/approvals', 'approvals.read', () => import('./approvals/approvals-page')),
    screen('/explain', 'keys.explain', () => import('./explain/explain-page')),
    screen('/voices', 'voices.read', () => import('./voices/voices-page')),
    screen('/voices/$voiceId', 'voices.read', () => import('./voices/voice-page')),
    screen('/review-desk', 'voices.review', () => import('./review-desk/review-desk-page'), {
      isWorkedThrough: true,
    }),
    screen('/rulesets', 'voices.review', () => import('./voices/rulesets-page')),
    screen('/screening', 'voices.review', () => import('./screening/screening-page')),
    screen('/queues', 'queues.read', () => import('./queues/queues-page')),
    screen('/dead-letters', 'queues.read', () => import('./queues/dead-letters-page')),
    screen('/timers', 'queues.read', () => import('./queues/timers-page')),
    screen(
      '/service-credentials',
      'service_credentials.read',
      () => import('./credentials/service-credentials-page'),
    ),
    screen(
      '/management-credentials',
      'management_credentials.read',
      () => import('./credentials/management-credentials-page'),
    ),
    screen('/audit-log', 'audit.read_own_actions', () => import('./audit-log/audit-log-page')),
    screen('/alerts', 'alerts.read', () => import('./alerts/alerts-page')),
    screen('/staff', 'staff.read', () => import('./staff/staff-page')),
    createRoute({ getParentRoute: () => staff, path: '/$', component: NotFoundPage }),
  ]),
]);
