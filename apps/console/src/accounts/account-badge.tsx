import { StatusBadge, type Tone } from '../components/status-badge';

const TONES: Record<string, Tone> = { active: 'good', suspended: 'warn', closed: 'bad' };

export function AccountBadge({ status }: { status: string }) {
  return <StatusBadge tone={TONES[status] ?? 'calm'}>{status}</StatusBadge>;
}
