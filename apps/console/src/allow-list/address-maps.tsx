import { SimpleGrid } from '@mantine/core';
import { formatNumber, plural } from '../components/number';
import { mapAddresses, SIDE, type NetworkMap, type Use } from './address-map';

/** Of a square with the gap behind it. */
const STEP = 10;
const SQUARE = 8.5;

const path = (places: readonly number[]) =>
  places
    .map(
      (place) =>
        `M${(place % SIDE) * STEP} ${Math.floor(place / SIDE) * STEP}h${SQUARE}v${SQUARE}h-${SQUARE}z`,
    )
    .join('');

/** Where requests come from and what a list lets in: each square an address, each dot its requests. */
export function AddressMaps({ cidrs, uses }: { cidrs: readonly string[]; uses: readonly Use[] }) {
  const maps = mapAddresses(cidrs, uses);
  const most = Math.max(1, ...uses.map(({ requests }) => requests));
  return (
    <SimpleGrid cols={3} spacing="md" mb="md" maw={552}>
      {maps.map((map) => (
        <figure key={map.network} aria-label={textOf(map)}>
          <div className="gr-mono">{map.network}</div>
          <svg viewBox={`0 0 ${SIDE * STEP} ${SIDE * STEP}`} aria-hidden>
            {[false, true].map((isOnList) => (
              <path
                key={String(isOnList)}
                d={path(map.listed.flatMap((isListed, place) => (isListed === isOnList ? [place] : [])))}
                fill={isOnList ? 'var(--d1-soft)' : 'var(--track)'}
              />
            ))}
            {map.uses.map(({ address, place, requests, refused }) => (
              <circle
                key={address}
                cx={(place % SIDE) * STEP + SQUARE / 2}
                cy={Math.floor(place / SIDE) * STEP + SQUARE / 2}
                r={2 + 2.25 * Math.sqrt(requests / most)}
                fill={refused ? 'var(--bad-mark)' : 'var(--ink)'}
              />
            ))}
          </svg>
          <figcaption className="gr-small">
            {map.requests === 0 ? 'no traffic' : plural(map.requests, 'request')}
            {map.refused > 0 && <b className="gr-late"> · {formatNumber(map.refused)} refused</b>}
          </figcaption>
        </figure>
      ))}
    </SimpleGrid>
  );
}

const textOf = ({ network, listed, requests, refused }: NetworkMap) =>
  `${network}: ${plural(listed.filter(Boolean).length, 'address', 'addresses')} on the list, ${plural(requests, 'request')}, ${formatNumber(refused)} refused`;
