import type { Schema } from '../api/client';
import { Name, StatusBadge, type Tone } from '../components/inline';

const TONES: Record<string, Tone> = { active: 'good', suspended: 'warn', closed: 'bad' };

export function AccountBadge({ status }: { status: string }) {
  return <StatusBadge tone={TONES[status] ?? 'calm'}>{status}</StatusBadge>;
}

export function AccountManagerName({ manager }: { manager: Schema['ManagerResponse'] | null }) {
  if (manager === null) return <span className="gr-dimmed">none yet</span>;
  return (
    <>
      <Name>{manager.name}</Name>
      {manager.disabled && <span className="gr-dimmed"> (may no longer sign in)</span>}
    </>
  );
}
