import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import type { RouteComponent } from '@tanstack/react-router';
import type { FirstQueries } from './api/client';

export interface Screen {
  /** The shell says so to those who may not. */
  needs?: StaffPermission;
  /** Fetches its file. */
  load: () => Promise<{ default: RouteComponent; firstQueries?: FirstQueries }>;
  /** Keys follow on each other faster than frames: what is next in it opens at once. */
  isWorkedThrough?: boolean;
}

/** The screens for staff, by their paths. */
export const SCREENS = {
  '/': { load: () => import('./shell/home-page') },
  '/security': { load: () => import('./security/security-page') },
  '/accounts': { needs: 'accounts.read', load: () => import('./accounts/accounts-page') },
  '/accounts/$accountId': { needs: 'accounts.read', load: () => import('./accounts/account-page') },
  '/accounts/$accountId/api-keys': { needs: 'keys.read', load: () => import('./accounts/account-keys-page') },
  '/accounts/$accountId/credits': {
    needs: 'accounts.read',
    load: () => import('./accounts/account-credits-page'),
  },
  '/accounts/$accountId/report': {
    needs: 'accounts.read',
    load: () => import('./accounts/month-report-page'),
  },
  '/accounts/$accountId/voices': {
    needs: 'voices.read',
    load: () => import('./accounts/account-voices-page'),
  },
  '/accounts/$accountId/allow-lists': {
    needs: 'keys.read',
    load: () => import('./accounts/account-allow-lists-page'),
  },
  '/accounts/$accountId/key-safety': {
    needs: 'keys.read',
    load: () => import('./accounts/account-safety-page'),
  },
  '/accounts/$accountId/activity': {
    needs: 'audit.read_own_actions',
    load: () => import('./accounts/account-activity-page'),
  },
  '/accounts/$accountId/settings': {
    needs: 'accounts.read',
    load: () => import('./accounts/account-settings-page'),
  },
  '/accounts/$accountId/alerts': {
    needs: 'accounts.read',
    load: () => import('./accounts/account-alerts-page'),
  },
  '/accounts/$accountId/new-key': { needs: 'keys.write', load: () => import('./api-keys/new-key-page') },
  '/accounts/$accountId/webhooks': {
    needs: 'accounts.read',
    load: () => import('./accounts/account-webhooks-page'),
  },
  '/accounts/$accountId/webhooks/$webhookId': {
    needs: 'accounts.read',
    load: () => import('./webhooks/webhook-page'),
  },
  '/api-keys': { needs: 'keys.read', load: () => import('./api-keys/api-keys-page') },
  '/api-keys/$keyId': { needs: 'keys.read', load: () => import('./api-keys/api-key-page') },
  '/api-keys/$keyId/allow-list': { needs: 'keys.read', load: () => import('./allow-list/allow-list-page') },
  '/api-keys/$keyId/explain': { needs: 'keys.explain', load: () => import('./explain/explain-page') },
  '/accounts/$accountId/allow-list': {
    needs: 'accounts.read',
    load: () => import('./allow-list/allow-list-page'),
  },
  '/key-safety': { needs: 'keys.read', load: () => import('./key-safety/key-safety-page') },
  '/key-safety/policies': { needs: 'keys.read', load: () => import('./key-policies/key-policies-page') },
  '/approvals': { needs: 'approvals.read', load: () => import('./approvals/approvals-page') },
  '/explain': { needs: 'keys.explain', load: () => import('./explain/explain-page') },
  '/voices': { needs: 'voices.read', load: () => import('./voices/voices-page') },
  '/voices/$voiceId': { needs: 'voices.read', load: () => import('./voices/voice-page') },
  '/review-desk': {
    needs: 'voices.review',
    load: () => import('./review-desk/review-desk-page'),
    isWorkedThrough: true,
  },
  '/rulesets': { needs: 'voices.review', load: () => import('./voices/rulesets-page') },
  '/screening': { needs: 'voices.review', load: () => import('./screening/screening-page') },
  '/queues': { needs: 'queues.read', load: () => import('./queues/queues-page') },
  '/dead-letters': { needs: 'queues.read', load: () => import('./queues/dead-letters-page') },
  '/timers': { needs: 'queues.read', load: () => import('./queues/timers-page') },
  '/service-credentials': {
    needs: 'service_credentials.read',
    load: () => import('./credentials/service-credentials-page'),
  },
  '/management-credentials': {
    needs: 'management_credentials.read',
    load: () => import('./credentials/management-credentials-page'),
  },
  '/audit-log': { needs: 'audit.read_own_actions', load: () => import('./audit-log/audit-log-page') },
  '/alerts': { needs: 'alerts.read', load: () => import('./alerts/alerts-page') },
  '/staff': { needs: 'staff.read', load: () => import('./staff/staff-page') },
} as const satisfies Record<string, Screen>;

export type ScreenPath = keyof typeof SCREENS;
