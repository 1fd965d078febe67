import { Link } from '@tanstack/react-router';
import type { Schema } from '../api/client';
import { sumOf } from '../components/chart-days';
import { plural } from '../components/number';
import { Panel } from '../components/page';
import { ShareList } from '../components/share-list';
import { Time } from '../components/time';

const SHOWN = 6;

/** From where a key is used, the busiest addresses first; those that its allow-list refuses in red. */
export function OriginsPanel({
  apiKey: { id, allowed_ips },
  traffic: { addresses, days },
}: {
  apiKey: Schema['ApiKeyDetailResponse'];
  traffic: Schema['TrafficResponse'];
}) {
  const all = Math.max(1, sumOf(addresses.map(({ requests }) => requests)));
  const rows = [...new Set(addresses.map(({ address }) => address))].map((address) => {
    const uses = addresses.filter((use) => use.address === address);
    const isRefused = uses.some(({ outcome }) => outcome === 'ip');
    const [latest] = uses.map(({ last_seen }) => last_seen).toSorted((a, b) => b.localeCompare(a));
    return {
      id: address,
      name: <span className="gr-mono">{address === 'other' ? 'others' : address}</span>,
      share: sumOf(uses.map(({ requests }) => requests)) / all,
      tone: isRefused ? ('bad' as const) : undefined,
      note: (
        <>
          {isRefused && 'not on the list · '}
          <Time at={latest} relative />
        </>
      ),
    };
  });
  return (
    <Panel
      title="From where"
      note={plural(days, 'day')}
      actions={
        <Link to="/api-keys/$keyId/allow-list" params={{ keyId: id }}>
          {allowed_ips
            ? `Allow-list of ${plural(allowed_ips.length, 'entry', 'entries')}`
            : 'every address is let in'}
        </Link>
      }
    >
      {rows.length === 0 ? (
        <span className="gr-dimmed">No request in {plural(days, 'day')}.</span>
      ) : (
        <ShareList
          name="Addresses"
          rows={rows.sort((one, other) => other.share - one.share).slice(0, SHOWN)}
        />
      )}
    </Panel>
  );
}
