import type { ReactNode } from 'react';

export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="gr-facts">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
