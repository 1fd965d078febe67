import { Link } from '@tanstack/react-router';
import { useMay } from '../session/me';

/** The parts of an account, each with an address of its own. */
export function AccountTabs({ accountId }: { accountId: string }) {
  const may = useMay();
  const params = { accountId };
  return (
    <nav className="gr-tabs" aria-label="Parts of the account">
      <Link to="/accounts/$accountId" params={params} activeOptions={{ exact: true }}>
        Overview
      </Link>
      {may('keys.read') && (
        <Link to="/accounts/$accountId/api-keys" params={params}>
          API keys
        </Link>
      )}
      <Link to="/accounts/$accountId/credits" params={params}>
        Credits
      </Link>
      {may('voices.read') && (
        <Link to="/accounts/$accountId/voices" params={params}>
          Voices
        </Link>
      )}
      <Link to="/accounts/$accountId/allow-lists" params={params}>
        Allow-lists
      </Link>
      {may('keys.read') && (
        <Link to="/accounts/$accountId/key-safety" params={params}>
          Key safety
        </Link>
      )}
      <Link to="/accounts/$accountId/webhooks" params={params}>
        Webhooks
      </Link>
      <Link to="/accounts/$accountId/alerts" params={params}>
        Alerts
      </Link>
      {may('audit.read_own_actions') && (
        <Link to="/accounts/$accountId/activity" params={params}>
          Activity
        </Link>
      )}
      <Link to="/accounts/$accountId/settings" params={params}>
        Settings
      </Link>
    </nav>
  );
}
