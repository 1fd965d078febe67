import { PageTabs } from '../components/page-tabs';

/** The parts of an account, each with its own address. */
export function AccountTabs({ accountId }: { accountId: string }) {
  const at = (part = '') => `/accounts/${accountId}${part}`;
  return (
    <PageTabs
      label="Parts of the account"
      tabs={[
        { label: 'Overview', to: at() },
        {
          label: 'API keys',
          to: at('/api-keys'),
          needs: 'keys.read',
          parts: [
            { label: 'Keys', to: at('/api-keys') },
            { label: 'Allow-lists', to: at('/allow-lists') },
            { label: 'Key safety', to: at('/key-safety') },
          ],
        },
        {
          label: 'Credits',
          to: at('/credits'),
          parts: [
            { label: 'Now', to: at('/credits') },
            { label: 'Report', to: at('/report') },
          ],
        },
        { label: 'Voices', to: at('/voices'), needs: 'voices.read' },
        { label: 'Webhooks', to: at('/webhooks') },
        {
          label: 'Settings',
          to: at('/settings'),
          parts: [
            { label: 'Tier and people', to: at('/settings') },
            { label: 'Alerts', to: at('/alerts') },
            { label: 'Activity', to: at('/activity'), needs: 'audit.read_own_actions' },
          ],
        },
      ]}
    />
  );
}
