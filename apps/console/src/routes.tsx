import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { createRootRoute, createRoute, redirect, type RouteComponent } from '@tanstack/react-router';
import { ApiProblem } from './api/problem';
import { queryClient } from './api/query-client';
import { lazyScreen } from './lazy-screen';
import { meQuery } from './session/me';
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
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: { to: location.href } as never });
    }
  },
});

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What the screen needs; the shell says so to those who may not. */
    needs?: StaffPermission;
  }
}

function screen<const Path extends string>(
  path: Path,
  needs: StaffPermission | undefined,
  component: RouteComponent,
) {
  const errorComponent = ScreenProblemInShell;
  return createRoute({ getParentRoute: () => staff, path, component, errorComponent, staticData: { needs } });
}

const lazy = lazyScreen;

export const routeTree = root.addChildren([
  signIn,
  staff.addChildren([
    screen(
      '/',
      undefined,
      lazy(() => import('./shell/home-page'), 'HomePage'),
    ),
    screen(
      '/security',
      undefined,
      lazy(() => import('./security/security-page'), 'SecurityPage'),
    ),
    screen(
      '/accounts',
      'accounts.read',
      lazy(() => import('./accounts/accounts-page'), 'AccountsPage'),
    ),
    screen(
      '/accounts/$accountId',
      'accounts.read',
      lazy(() => import('./accounts/account-page'), 'AccountPage'),
    ),
    screen(
      '/accounts/$accountId/api-keys',
      'keys.read',
      lazy(() => import('./accounts/account-keys-page'), 'AccountKeysPage'),
    ),
    screen(
      '/accounts/$accountId/credits',
      'accounts.read',
      lazy(() => import('./accounts/account-credits-page'), 'AccountCreditsPage'),
    ),
    screen(
      '/accounts/$accountId/voices',
      'voices.read',
      lazy(() => import('./accounts/account-voices-page'), 'AccountVoicesPage'),
    ),
    screen(
      '/accounts/$accountId/allow-lists',
      'keys.read',
      lazy(() => import('./accounts/account-allow-lists-page'), 'AccountAllowListsPage'),
    ),
    screen(
      '/accounts/$accountId/key-safety',
      'keys.read',
      lazy(() => import('./key-safety/account-safety-page'), 'AccountSafetyPage'),
    ),
    screen(
      '/accounts/$accountId/activity',
      'audit.read_own_actions',
      lazy(() => import('./accounts/account-activity-page'), 'AccountActivityPage'),
    ),
    screen(
      '/accounts/$accountId/settings',
      'accounts.read',
      lazy(() => import('./accounts/account-settings-page'), 'AccountSettingsPage'),
    ),
    screen(
      '/accounts/$accountId/alerts',
      'accounts.read',
      lazy(() => import('./accounts/account-alerts-page'), 'AccountAlertsPage'),
    ),
    screen(
      '/accounts/$accountId/new-key',
      'keys.write',
      lazy(() => import('./api-keys/new-key-page'), 'NewKeyPage'),
    ),
    screen(
      '/accounts/$accountId/webhooks',
      'accounts.read',
      lazy(() => import('./webhooks/webhooks-page'), 'WebhooksPage'),
    ),
    screen(
      '/accounts/$accountId/webhooks/$webhookId',
      'accounts.read',
      lazy(() => import('./webhooks/webhook-page'), 'WebhookPage'),
    ),
    screen(
      '/api-keys',
      'keys.read',
      lazy(() => import('./api-keys/api-keys-page'), 'ApiKeysPage'),
    ),
    screen(
      '/api-keys/$keyId',
      'keys.read',
      lazy(() => import('./api-keys/api-key-page'), 'ApiKeyPage'),
    ),
    screen(
      '/api-keys/$keyId/allow-list',
      'keys.read',
      lazy(() => import('./allow-list/allow-list-page'), 'AllowListPage'),
    ),
    screen(
      '/api-keys/$keyId/explain',
      'keys.explain',
      lazy(() => import('./explain/explain-page'), 'ExplainPage'),
    ),
    screen(
      '/accounts/$accountId/allow-list',
      'accounts.read',
      lazy(() => import('./allow-list/allow-list-page'), 'AccountAllowListPage'),
    ),
    screen(
      '/key-safety',
      'keys.read',
      lazy(() => import('./key-safety/key-safety-page'), 'KeySafetyPage'),
    ),
    screen(
      '/key-safety/policies',
      'keys.read',
      lazy(() => import('./key-policies/key-policies-page'), 'KeyPoliciesPage'),
    ),
    screen(
      '/approvals',
      'approvals.read',
      lazy(() => import('./approvals/approvals-page'), 'ApprovalsPage'),
    ),
    screen(
      '/explain',
      'keys.explain',
      lazy(() => import('./explain/explain-page'), 'ExplainPage'),
    ),
    screen(
      '/voices',
      'voices.read',
      lazy(() => import('./voices/voices-page'), 'VoicesPage'),
    ),
    screen(
      '/voices/$voiceId',
      'voices.read',
      lazy(() => import('./voices/voice-page'), 'VoicePage'),
    ),
    screen(
      '/review-desk',
      'voices.review',
      lazy(() => import('./review-desk/review-desk-page'), 'ReviewDeskPage'),
    ),
    screen(
      '/rulesets',
      'voices.review',
      lazy(() => import('./voices/rulesets-page'), 'RulesetsPage'),
    ),
    screen(
      '/screening',
      'voices.review',
      lazy(() => import('./screening/screening-page'), 'ScreeningPage'),
    ),
    screen(
      '/queues',
      'queues.read',
      lazy(() => import('./queues/queues-page'), 'QueuesPage'),
    ),
    screen(
      '/dead-letters',
      'queues.read',
      lazy(() => import('./queues/dead-letters-page'), 'DeadLettersPage'),
    ),
    screen(
      '/timers',
      'queues.read',
      lazy(() => import('./queues/timers-page'), 'TimersPage'),
    ),
    screen(
      '/service-credentials',
      'service_credentials.read',
      lazy(() => import('./service-credentials/service-credentials-page'), 'ServiceCredentialsPage'),
    ),
    screen(
      '/audit-log',
      'audit.read_own_actions',
      lazy(() => import('./audit-log/audit-log-page'), 'AuditLogPage'),
    ),
    screen(
      '/alerts',
      'alerts.read',
      lazy(() => import('./alerts/alerts-page'), 'AlertsPage'),
    ),
    screen(
      '/staff',
      'staff.read',
      lazy(() => import('./staff/staff-page'), 'StaffPage'),
    ),
    screen('/$', undefined, NotFoundPage),
  ]),
]);
